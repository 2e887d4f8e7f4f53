/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that uses every structure of the public header once, for
 * tests/host_lib/sizes.sh, which compiles it with headers of several versions.
 * Bytes behind each structure must stay as they are.
 *
 * With NEXT each structure has a field `next` at its end. The argument is the
 * number of the structure whose new field is not 0; -1: none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tulle.h>

enum {
    DEVICE_OPTIONS,
    MATRIX,
    INPUT,
    INITIAL,
    OUTPUT,
    WINDOW,
    EPILOGUE,
    PLAN_OPTIONS,
    OPERATOR_OPTIONS,
    OPERANDS,
    FLOAT_OPTIONS,
    FLOAT_OPERANDS
};

static int chosen = -1;

#ifdef NEXT
#define SET_NEXT(number, structure) ((structure).next = (number) == chosen)
#define CHECK_NEXT(structure) check((structure).next == 0, #structure ": an unknown field is not 0")
#else
#define SET_NEXT(number, structure) ((void)0)
#define CHECK_NEXT(structure) ((void)0)
#endif

/* A structure to be filled, dirty but for its size, with a guard. */
#define RESULT(tag, name)                \
    struct {                             \
        struct tag it;                   \
        unsigned char guard[64];         \
    } name;                              \
    memset(&(name), 0x5A, sizeof(name)); \
    (name).it.size = sizeof(name).it
#define CHECK_RESULT(name)                                                               \
    do {                                                                                 \
        check((name).it.size == sizeof(name).it, #name ": its size has changed");        \
        for (size_t guard_ = 0; guard_ < sizeof(name).guard; guard_++)                   \
            check((name).guard[guard_] == 0x5A, #name ": bytes behind it were written"); \
        CHECK_NEXT((name).it);                                                           \
    } while (0)

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void done(const char *call, enum tulle_status status)
{
    if (!status)
        return;
    fprintf(stderr, "%s: %s: %s\n", call, tulle_status_text(status), tulle_message());
    exit(status == TULLE_INVALID_ARGUMENT ? 3 : 1);
}

static void list_devices(void)
{
    enum { ROOM = 3 };
    struct tulle_device_info list[ROOM];
    size_t count = 0;
    memset(list, 0x5A, sizeof list);
    list[0].size = sizeof *list;
    done("devices", tulle_devices(list, ROOM, &count));
    check(count == ROOM, "there are not three devices");
    for (int i = 0; i < ROOM; i++) {
        check(list[i].size == sizeof *list, "an element has another size");
        check(list[i].pes > 0 && list[i].memory_bytes_per_cycle > 0, "an element is not filled");
        CHECK_NEXT(list[i]);
        printf("%s\n", list[i].name);
    }
}

static void run_operator(struct tulle_device *device)
{
    static const int8_t weights[2][4] = {{1, 0, -2, 0}, {0, 3, 0, 0}},
                        x[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    static const int32_t sums[4][2] = {{1000, 0}, {0, 0}, {0, 0}, {0, 1000}};
    int32_t y[4][2];
    struct tulle_matrix matrix = {
        .size = sizeof matrix, .type = TULLE_INT8, .rows = 2, .columns = 4, .values = weights};
    struct tulle_matrix input = {
        .size = sizeof input, .type = TULLE_INT8, .rows = 9, .columns = 1, .values = x};
    struct tulle_matrix initial = {
        .size = sizeof initial, .type = TULLE_INT32, .rows = 4, .columns = 2, .values = sums};
    struct tulle_window window = {
        .size = sizeof window, .height = 3, .width = 3, .channels = 1, .kernel_height = 2, .kernel_width = 2};
    struct tulle_epilogue epilogue = {.size = sizeof epilogue, .function = TULLE_RELU};
    struct tulle_plan_options plan = {.size = sizeof plan, .effort = 1};
    struct tulle_operator_options options = {.size = sizeof options,
                                             .operation = TULLE_CONVOLUTION,
                                             .matrix = &matrix,
                                             .window = &window,
                                             .output_type = TULLE_INT32,
                                             .epilogue = &epilogue,
                                             .initial = 1,
                                             .plan = &plan};
    struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = y};
    struct tulle_operands operands = {
        .size = sizeof operands, .input = &input, .initial = &initial, .output = &output};
    struct tulle_operator *op = NULL;
    struct tulle_run *run = NULL;
    RESULT(tulle_operator_info, info);
    RESULT(tulle_counters, counters);
    SET_NEXT(MATRIX, matrix);
    SET_NEXT(INPUT, input);
    SET_NEXT(INITIAL, initial);
    SET_NEXT(OUTPUT, output);
    SET_NEXT(WINDOW, window);
    SET_NEXT(EPILOGUE, epilogue);
    SET_NEXT(PLAN_OPTIONS, plan);
    SET_NEXT(OPERATOR_OPTIONS, options);
    SET_NEXT(OPERANDS, operands);
    done("create", tulle_operator_create(device, &options, &op));
    done("update", tulle_operator_update(op, &matrix));
    done("describe", tulle_operator_describe(op, &info.it));
    check(info.it.out_height == 2 && !info.it.streamed, "the operator's description is wrong");
    CHECK_RESULT(info);
    done("run", tulle_run(op, &operands, 10000, &counters.it));
    CHECK_RESULT(counters);
    done("start", tulle_start(op, &operands, &run));
    done("wait", tulle_wait(run, 10000, &counters.it));
    check(counters.it.jobs == 1 && counters.it.effective_macs == 12, "the counters are wrong");
    for (int i = 0; i < 4; i++)
        printf("%d %d\n", y[i][0], y[i][1]);
    tulle_run_free(run);
    tulle_operator_free(op);
}

static void run_floats(struct tulle_device *device)
{
    static const float weights[1][2] = {{0.5F, -1}}, x[2] = {1, -1};
    float y = 0;
    struct tulle_matrix matrix = {
        .size = sizeof matrix, .type = TULLE_FLOAT32, .rows = 1, .columns = 2, .values = weights};
    struct tulle_matrix input = {
        .size = sizeof input, .type = TULLE_FLOAT32, .rows = 2, .columns = 1, .values = x};
    struct tulle_float_options options = {
        .size = sizeof options, .operation = TULLE_SPMV, .matrix = &matrix, .example = &input};
    struct tulle_float_operands operands = {.size = sizeof operands, .input = &input, .values = &y};
    struct tulle_float *op = NULL;
    RESULT(tulle_float_info, info);
    SET_NEXT(FLOAT_OPTIONS, options);
    SET_NEXT(FLOAT_OPERANDS, operands);
    done("create floats", tulle_float_create(device, &options, &op));
    done("describe floats", tulle_float_describe(op, &info.it));
    CHECK_RESULT(info);
    done("run floats", tulle_float_run(op, &operands, 10000, NULL, NULL));
    check(info.it.worst_error > 0 && info.it.worst_error < 0.1, "the error is wrong");
    printf("%.1f\n", (double)y);
    tulle_float_free(op);
}

int main(int argc, char **argv)
{
    struct tulle_device *device = NULL;
    struct tulle_device_options options = {.size = sizeof options, .memory = 1 << 20};
    chosen = argc > 1 ? atoi(argv[1]) : -1;
    RESULT(tulle_device_info, info);
    SET_NEXT(DEVICE_OPTIONS, options);
    list_devices();
    done("open", tulle_device_open("1", &options, &device));
    done("describe", tulle_device_describe(device, &info.it));
    check(info.it.memory == 1 << 20, "the options were not looked at");
    CHECK_RESULT(info);
    run_operator(device);
    run_floats(device);
    tulle_device_close(device);
    return 0;
}
