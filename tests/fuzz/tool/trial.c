/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/tool/trial.h"

#include <stdlib.h>
#include <string.h>

#include "gen/isa/codec.h"
#include "sim/board/jobs.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"
#include "sim/model/model.h"
#include "tests/fuzz/tool/oracle.h"

#define MESSAGE_BYTES 1024
#define DIFFERENCES_SHOWN 4
#define PLACES 64        /* bursts that the memory takes unless the recipe says another number */
#define WATCHDOG 4000    /* cycles without progress at the memory, besides those of watchdog_of */
#define CHAINED 36       /* sums of a PE that a tile applies its function to, one after the other, at most */
#define SETTLES 4000     /* cycles in which the memory takes what was on offer */
#define PATIENCE 2000000 /* cycles that a job may take */
#define MORE_TIMES 8 /* so many times the bytes of the unharmed job, and MORE_BYTES, take less than that */
#define MORE_BYTES 65536

/* A board while a case runs on it. */
struct stage {
    const struct fuzz_board *where;
    const struct recipe *recipe;
    struct fuzz_report *to;
    struct board *board;
    struct strbuf fault;  /* setting, or empty */
    uint64_t begin, end;  /* cycles of the last legal job */
    uint64_t first, last; /* addresses of the slot that the recipe names */
    uint64_t watchdog;    /* cycles */
    bool impatient;       /* the program's own watchdog is shorter than memory may take */
    bool legal;           /* the job that runs is not harmed, and memory does not fail */
};

static const struct board_api *const api = &board_sim;

void fuzz_report_free(struct fuzz_report *report)
{
    sb_free(&report->why);
    sb_free(&report->events);
}

/* ---- the board ------------------------------------------------------------------------------- */

/* Bursts that the memory takes before it answers them. What is never answered keeps its place, and the next
 * job needs some, too. */
static uint64_t places(const struct recipe *r, const struct variant *v)
{
    if (r->fault == FAULT_DEAD)
        return PLACES + v->outstanding_reads;
    return r->bursts ? r->bursts : PLACES;
}

static void list_settings(const struct stage *stage, const struct fuzz_window *w, struct setting_list *s)
{
    const struct recipe *r = stage->recipe;
    struct strbuf bandwidth = {0};
    sb_addf(&bandwidth, "%llu/%llu", (unsigned long long)(r->beats < r->cycles ? r->beats : r->cycles),
            (unsigned long long)(r->cycles ? r->cycles : 1));
    settings_add_number(s, "latency", r->latency);
    settings_add_number(s, "bursts", places(r, &stage->where->variant));
    settings_add_number(s, "stalls", r->stalls);
    settings_add_number(s, "reorder", r->reorder);
    settings_add_number(s, "seed", r->power_on);
    settings_add(s, "bandwidth", sb_text(&bandwidth));
    if (stage->fault.len)
        settings_add(s, "fault", sb_text(&stage->fault));
    if (w)
        settings_add_number(s, "until", w->until);
    if (w && w->trace) {
        settings_add(s, "trace", w->trace);
        settings_add_number(s, "from", w->from);
        settings_add_number(s, "to", w->to);
    }
    sb_free(&bandwidth);
}

static bool wrong(struct stage *s, const char *what)
{
    sb_addf(&s->to->why, "%s\n", what);
    return false;
}

static bool open_board(struct stage *s, const struct fuzz_window *window)
{
    struct setting_list settings = {.count = 0};
    char why[MESSAGE_BYTES];
    list_settings(s, window, &settings);
    s->board = api->open(s->where->folder, settings.list, why, sizeof why);
    settings_free(&settings);
    return s->board || wrong(s, why);
}

static void close_board(struct stage *s)
{
    if (!s->board)
        return;
    s->to->cycles = api->cycles(s->board);
    s->to->events.len = 0;
    sb_add(&s->to->events, api->events(s->board));
    api->close(s->board);
    s->board = NULL;
}

/* False with the board's words when a call did not succeed. */
static bool done(struct stage *s, enum board_status status, const char *what)
{
    if (status == BOARD_OK)
        return true;
    sb_addf(&s->to->why, "%s: %s\n", what, api->error(s->board));
    return false;
}

static bool set_register(struct stage *s, const char *name, uint32_t value)
{
    return done(s, api->write_register(s->board, register_offset(name), value), name);
}

/* ---- what came out --------------------------------------------------------------------------- */

static void note_wrong(struct stage *s, uint64_t address)
{
    uint64_t cycle = api->written(s->board, address);
    if (cycle && cycle < s->to->wrong)
        s->to->wrong = cycle;
}

/* What memory may hold behind a job. */
struct allowed {
    const struct scene *scene;
    const struct oracle *oracle; /* any of its outcomes' bytes; NULL: anything where a device writes */
    bool unfinished;             /* also what was there before */
    bool no_record;              /* the status record may be missing, or half there */
};

static bool is_record(const struct scene *scene, uint64_t at)
{
    uint64_t first = scene->job.slot[SLOT_STATUS].address - scene->base;
    return scene->job.slot[SLOT_STATUS].size >= ISA_STATUS_BYTES && at >= first &&
           at - first < ISA_STATUS_BYTES;
}

/* The record itself is looked at apart. */
static bool byte_allowed(const struct allowed *a, uint64_t at, uint8_t byte)
{
    const struct scene *scene = a->scene;
    unsigned slot = scene_slot(scene, at);
    if (is_record(scene, at))
        return true;
    if (slot != SLOT_OUTPUT && slot != SLOT_SCRATCH)
        return byte == scene->before[at];
    if (!a->oracle || (a->unfinished && byte == scene->before[at]))
        return true;
    for (unsigned i = 0; i < a->oracle->count; i++)
        if (byte == a->oracle->outcome[i].image[at])
            return true;
    return false;
}

/* Marks the bytes that differ. */
static void find_differences(const struct allowed *allowed, const uint8_t *image, bool *differs)
{
    bool any = false;
    for (uint64_t i = 0; i < allowed->scene->bytes; i++) {
        differs[i] = !byte_allowed(allowed, i, image[i]);
        any |= differs[i];
    }
    if (any && allowed->unfinished)
        oracle_explain(allowed->scene, image, differs);
}

static bool check_bytes(struct stage *s, const struct allowed *allowed)
{
    const struct scene *scene = allowed->scene;
    uint64_t differences = 0;
    uint8_t *image = malloc(scene->bytes);
    bool *differs = calloc(scene->bytes, sizeof *differs);
    if (!image || !differs) {
        free(image);
        free(differs);
        return wrong(s, "out of memory");
    }
    bool ok = done(s, api->read_memory(s->board, scene->base, image, scene->bytes), "reading memory");
    if (ok)
        find_differences(allowed, image, differs);
    for (uint64_t i = 0; ok && i < scene->bytes; i++) {
        if (!differs[i])
            continue;
        note_wrong(s, scene->base + i);
        if (differences++ >= DIFFERENCES_SHOWN)
            continue;
        sb_add(&s->to->why, "memory: ");
        scene_place(scene, i, &s->to->why);
        sb_addf(&s->to->why, " is 0x%02x, was 0x%02x", image[i], scene->before[i]);
        if (allowed->oracle)
            sb_addf(&s->to->why, ", the model gives 0x%02x", allowed->oracle->outcome->image[i]);
        sb_addf(&s->to->why, "%s\n", api->written(s->board, scene->base + i) ? "" : "; never written");
    }
    free(image);
    free(differs);
    if (differences)
        sb_addf(&s->to->why, "memory: %llu bytes differ\n", (unsigned long long)differences);
    return ok && !differences;
}

/* Numbers that the model gives, too. Without counters, and when a job failed, only how it ended and where. */
static bool check_result(struct stage *s, const char *source, const struct job_result *got,
                         const struct job_result *wanted, bool any_counts)
{
    bool ok = true, counts = s->where->variant.counters && !wanted->code && !any_counts;
    for (const struct result_field *f = job_result_fields; f->name; f++) {
        bool counter = strcmp(f->name, "code") && strcmp(f->name, "queue") && strcmp(f->name, "row") &&
                       strcmp(f->name, "cluster") && strcmp(f->name, "pe") && strcmp(f->name, "offset");
        if (f->timed || (counter && !counts) || f->get(got) == f->get(wanted))
            continue;
        sb_addf(&s->to->why, "%s: %s is %llu, wanted %llu (%s, not %s)\n", source, f->name,
                (unsigned long long)f->get(got), (unsigned long long)f->get(wanted), job_code_name(got->code),
                job_code_name(wanted->code));
        ok = false;
    }
    return ok;
}

/* The record must say what the registers say. */
static bool check_record(struct stage *s, const struct scene *scene, const struct job_result *registers)
{
    uint8_t bytes[ISA_STATUS_BYTES];
    struct job_result record;
    struct strbuf why = {0};
    uint32_t number = 0;
    uint64_t at = scene->job.slot[SLOT_STATUS].address;
    if (scene->job.slot[SLOT_STATUS].size < ISA_STATUS_BYTES)
        return true;
    bool ok = done(s, api->read_memory(s->board, at, bytes, sizeof bytes), "reading the record");
    if (ok && !job_read_status(bytes, &record, &number, &why)) {
        sb_addf(&s->to->why, "status record: %s\n", sb_text(&why));
        ok = false;
    } else if (ok && number != scene->job.number)
        ok = wrong(s, "status record: not this job's number");
    else if (ok)
        ok = check_result(s, "status record beside the registers", &record, registers, false);
    sb_free(&why);
    if (!ok)
        note_wrong(s, at);
    return ok;
}

static bool check_queued(struct stage *s, const struct scene *scene, const struct oracle *oracle,
                         const struct job_result *result);

/* ---- two jobs, of which one waits -------------------------------------------------------------- */

struct line {
    const struct board_job *job[2];
    struct job_result *result[2];
    unsigned written, ended;
};

static const struct board_job *next_of_line(void *context)
{
    struct line *l = context;
    return l->written < 2 ? l->job[l->written++] : NULL;
}

static bool note_end(void *context, const struct job_result *result)
{
    struct line *l = context;
    *l->result[l->ended++] = *result;
    return true;
}

static bool apart(const struct scene *a, const struct scene *b)
{
    return a->base + a->bytes <= b->base || b->base + b->bytes <= a->base;
}

/* A tile of the recipe's, beside the scene. False when there is none that the variant can run. */
static bool find_companion(const struct stage *s, const struct scene *scene, struct subject *subject,
                           struct scene *companion)
{
    struct recipe recipe = *s->recipe;
    recipe.operator= FUZZ_TILE;
    recipe.numbers = recipe.queued;
    for (unsigned tries = 0; tries < 100; tries++, recipe.numbers++) {
        if (subject_make(subject, &s->where->variant, &recipe))
            continue;
        scene_make(companion, subject, recipe.numbers);
        if (apart(scene, companion))
            return true;
        scene_free(companion);
        subject_free(subject);
    }
    return false;
}

/* In half of the cases the job that waits reads what the scene's writes, which it must not do too early. */
static bool is_chained(const struct stage *s, const struct scene *scene, const struct scene *companion)
{
    return s->legal && s->recipe->queued % 2 && scene->room[SLOT_OUTPUT] >= companion->room[SLOT_INPUT] &&
           companion->room[SLOT_INPUT];
}

static void chain(const struct scene *scene, struct scene *companion)
{
    struct oracle first;
    oracle_ask(&first, scene, false);
    memcpy(companion->before + (companion->job.slot[SLOT_INPUT].address - companion->base),
           first.outcome->image + (scene->job.slot[SLOT_OUTPUT].address - scene->base),
           companion->room[SLOT_INPUT]);
    oracle_free(&first);
}

/* The other one must be right, whatever becomes of the scene's. */
static bool run_beside(struct stage *s, struct scene *scene, struct scene *companion,
                       struct job_result *result)
{
    struct oracle oracle;
    struct job_result other = {.code = JOB_RUNNING};
    struct line line = {{&scene->job, &companion->job}, {result, &other}, 0, 0};
    const struct board_jobs jobs = {.next = next_of_line, .ended = note_end, .context = &line};
    const uint64_t input = companion->job.slot[SLOT_INPUT].address;
    companion->job.cycles = PATIENCE;
    const bool chained = is_chained(s, scene, companion);
    if (chained)
        chain(scene, companion);
    oracle_ask(&oracle, companion, false);
    if (chained)
        companion->job.slot[SLOT_INPUT].address = scene->job.slot[SLOT_OUTPUT].address;
    bool ok = done(s, api->write_memory(s->board, companion->base, companion->before, companion->bytes),
                   "writing memory") &&
              done(s, board_jobs_run(api, s->board, &jobs), "the jobs");
    companion->job.slot[SLOT_INPUT].address = input;
    ok = ok && check_queued(s, companion, &oracle, &other);
    if (!ok)
        sb_addf(&s->to->why, "that was the job that waited: %s\n", sb_text(&companion->subject->what));
    oracle_free(&oracle);
    return ok;
}

static bool run_with_companion(struct stage *s, struct scene *scene, struct job_result *result)
{
    struct subject subject;
    struct scene companion;
    if (!find_companion(s, scene, &subject, &companion))
        return done(s, board_job_run(api, s->board, &scene->job, result), "the job");
    const bool ok = run_beside(s, scene, &companion, result);
    scene_free(&companion);
    subject_free(&subject);
    return ok;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Of a job that is followed the status record alone tells what became of it, and failing writes may spoil
 * that. */
static bool is_queued(const struct stage *s)
{
    return s->recipe->queued && s->where->variant.job_queue && !(s->recipe->fault && s->recipe->writes);
}

/* Runs it; false when the board or the job does not come to an end. */
static bool run_job(struct stage *s, struct scene *scene, struct job_result *result)
{
    scene->job.cycles = PATIENCE;
    s->to->jobs++;
    return done(s, api->write_memory(s->board, scene->base, scene->before, scene->bytes), "writing memory") &&
           set_register(s, "watchdog", s->watchdog) &&
           (is_queued(s) ? run_with_companion(s, scene, result)
                         : done(s, board_job_run(api, s->board, &scene->job, result), "the job"));
}

/* Everything as the oracle's first outcome has it. */
static bool check_legal(struct stage *s, const struct allowed *allowed, const struct job_result *result)
{
    bool ends =
        check_result(s, "registers", result, &allowed->oracle->outcome->result, allowed->oracle->counts);
    bool record = allowed->no_record || check_record(s, allowed->scene, result);
    return check_bytes(s, allowed) && ends && record;
}

/* The model and the plain computation, before the device is asked. */
static bool check_model(struct stage *s, const struct scene *scene, const struct oracle *oracle)
{
    const struct subject *subject = scene->subject;
    const struct victim *t = &subject->victim;
    const struct outcome *o = oracle->outcome;
    const uint8_t *modelled = o->image + (scene->job.slot[t->result_slot].address - scene->base);
    if (o->result.code) {
        sb_addf(&s->to->why, "the model ends a legal job with %s at 0x%llx\n", job_code_name(o->result.code),
                (unsigned long long)o->result.offset);
        return false;
    }
    if (!subject_agrees(subject, modelled))
        return wrong(s, "the model and the plain computation differ");
    return true;
}

static bool run_legal(struct stage *s, const struct subject *subject, uint64_t place)
{
    struct scene scene;
    struct oracle oracle;
    struct job_result result;
    scene_make(&scene, subject, place);
    oracle_ask(&oracle, &scene, false);
    s->begin = api->cycles(s->board);
    if (s->recipe->where) {
        s->first = scene.job.slot[s->recipe->where - 1].address;
        s->last = s->first + (scene.room[s->recipe->where - 1] ? scene.room[s->recipe->where - 1] - 1 : 0);
    }
    s->legal = true;
    bool ok = check_model(s, &scene, &oracle) && run_job(s, &scene, &result) &&
              check_legal(s, &(struct allowed){&scene, &oracle, false, false}, &result);
    s->legal = false;
    s->end = api->cycles(s->board);
    oracle_free(&oracle);
    scene_free(&scene);
    return ok;
}

/* ---- harmed programs -------------------------------------------------------------------------- */

static void tell_end(struct stage *s, const struct job_result *got, const struct oracle *oracle)
{
    const struct job_result *o = &oracle->outcome->result;
    sb_addf(
        &s->to->why,
        "the job ended with %s, queue %d at 0x%llx (%u, %u, %u); the model with %s, queue %d at 0x%llx (%u, "
        "%u, %u)%s\n",
        job_code_name(got->code), got->queue, (unsigned long long)got->offset, got->row, got->cluster,
        got->pe, job_code_name(o->code), o->queue, (unsigned long long)o->offset, o->row, o->cluster, o->pe,
        oracle->open ? ", among others" : "");
    for (unsigned i = 0; i < oracle->count && i < 8; i++)
        sb_addf(&s->to->why, "%s%zu", i ? ", " : "groups of results left: ", oracle->outcome[i].left);
    sb_add(&s->to->why, "\n");
}

static bool is_of_array(const struct job_result *r)
{
    return r->queue == QUEUE_CLUSTER || r->queue == QUEUE_PE;
}

/* What can be wrong with weights. */
static bool is_of_stream(const struct job_result *r)
{
    return is_of_array(r) &&
           (r->code == JOB_BAD_ESCAPE || r->code == JOB_PACKET_LENGTH || r->code == JOB_QUEUE_OVERFLOW ||
            r->code == JOB_OUT_OF_BUFFER || r->code == JOB_NO_FEATURE);
}

/* Of several faults in the streams of a packet any may be told, of several packets' any. The model looks at
 * positions when weights come, the RTL when they are used. */
static bool may_be_of_weights(const struct recipe *r, const struct job_result *device,
                              const struct job_result *model)
{
    bool sealed = r->mutation == MUTATION_SEALED, weights = r->mutation == MUTATION_WEIGHTS || sealed;
    if (!weights || !is_of_array(device))
        return false;
    if (!sealed && r->changes > 1 && is_of_array(model))
        return true;
    if (!is_of_stream(device) || !is_of_stream(model))
        return false;
    return device->offset == model->offset ||
           (device->code == JOB_OUT_OF_BUFFER && model->code == JOB_OUT_OF_BUFFER);
}

/* The program's own watchdog, when it is another than a whole program has, which has none. */
static uint64_t own_watchdog(const struct stage *s, const struct scene *scene)
{
    const uint8_t *program = scene->before + (scene->job.slot[SLOT_PROGRAM].address - scene->base);
    return s->recipe->mutation == MUTATION_SEALED ? isa_header_field(&isa_program, program, "watchdog") : 0;
}

/* A field of the distribute at that place of the program. */
static uint64_t distribute_field(const struct scene *scene, uint64_t offset, const char *name)
{
    const uint8_t *program = scene->before + (scene->job.slot[SLOT_PROGRAM].address - scene->base);
    const struct isa_format *f = isa_find_format(&isa_operation, "distribute");
    const struct isa_field *field = isa_find_field(f, name);
    if (offset + ISA_OPERATION_BYTES > scene->room[SLOT_PROGRAM])
        return 0;
    return isa_get_bits(program + offset, isa_field_lsb(&isa_operation, f, field, isa_int8_widths),
                        (unsigned)field->bits);
}

/* The same fault of a packet that goes to both clusters: any of them may be the first to tell. */
static bool is_of_other_cluster(const struct scene *scene, const struct job_result *device,
                                const struct job_result *model)
{
    uint64_t rows = distribute_field(scene, device->offset, "rows"),
             clusters = distribute_field(scene, device->offset, "clusters");
    return is_of_array(device) && device->code == model->code && device->queue == model->queue &&
           device->offset == model->offset && (rows >> device->row & 1) &&
           (clusters >> device->cluster & 1) && (rows >> model->row & 1) && (clusters >> model->cluster & 1);
}

/* What the RTL says of a program that the model takes: collectors are full, and
 * nothing takes what is in them. docs/fuzz.md has both. */
static bool is_own_limit(const struct stage *s, const struct scene *scene, const struct oracle *oracle,
                         const struct job_result *result)
{
    const struct job_result *first = &oracle->outcome->result;
    if (is_of_other_cluster(scene, result, first))
        return true;
    if (may_be_of_weights(s->recipe, result, first))
        return true;
    if (s->impatient && (result->code == JOB_WATCHDOG || oracle_find(oracle, result)))
        return true;
    for (unsigned i = 0; i < oracle->count; i++)
        if (result->code == JOB_WATCHDOG && oracle->outcome[i].left >= s->where->variant.result_queue_depth)
            return true;
    return false;
}

/* Whether all that could run was as the operator has it, up to the error. */
static bool only_cut_short(const struct recipe *r)
{
    return r->mutation == MUTATION_WORD || (r->mutation == MUTATION_FLIP && r->changes == 1) ||
           r->mutation == MUTATION_TRUNCATE || r->mutation == MUTATION_SIZE;
}

/* One outcome: that one. Several: any end, within the slots that a device may write. A job that failed wrote
 * nothing wrong, where what ran was right. */
static bool judge_harmed(struct stage *s, const struct scene *scene, const struct oracle *oracle,
                         const struct oracle *unharmed, const struct job_result *result)
{
    bool own = is_own_limit(s, scene, oracle, result);
    struct allowed allowed = {scene, NULL, true, false};
    s->to->open = oracle->open || own;
    if (!oracle->open && !own && !oracle_find(oracle, result)) {
        tell_end(s, result, oracle);
        return false;
    }
    if (!oracle->open && !result->code)
        return check_legal(s, &(struct allowed){scene, oracle, false, false}, result);
    if (only_cut_short(s->recipe) && result->code)
        allowed.oracle = unharmed;
    return check_bytes(s, &allowed) && (s->impatient || check_record(s, scene, result));
}

/* Before anybody says that the device is wrong, the model tries more orders. */
static bool check_harmed(struct stage *s, const struct scene *scene, struct oracle *oracle,
                         const struct oracle *unharmed, const struct job_result *result)
{
    size_t said = s->to->why.len;
    uint64_t at = s->to->wrong;
    if (judge_harmed(s, scene, oracle, unharmed, result))
        return true;
    oracle_insist(oracle, scene);
    s->to->why.len = said;
    s->to->wrong = at;
    return judge_harmed(s, scene, oracle, unharmed, result);
}

static bool soft_reset(struct stage *s)
{
    return set_register(s, "reset", RESET_KEY);
}

/* A count of runs that was changed makes a legal job of any length: the device is right, and nobody waits for
 * it. */
static bool moves_too_much(const struct oracle *oracle, const struct oracle *unharmed)
{
    const struct job_result *usual = &unharmed->outcome->result;
    uint64_t most = MORE_TIMES * (usual->bytes_read + usual->bytes_written) + MORE_BYTES;
    for (unsigned i = 0; i < oracle->count; i++) {
        const struct job_result *r = &oracle->outcome[i].result;
        if (r->bytes_read + r->bytes_written > most)
            return true;
    }
    return false;
}

/* Sets *too_long, and runs nothing, when it would be. */
static bool run_harmed(struct stage *s, struct subject *subject, bool *too_long)
{
    struct scene scene;
    struct oracle oracle, unharmed;
    struct job_result result = {.code = JOB_OK};
    scene_make(&scene, subject, s->recipe->place);
    oracle_ask(&unharmed, &scene, false);
    scene_free(&scene);
    subject_mutate(subject, s->recipe);
    scene_make(&scene, subject, s->recipe->place);
    oracle_ask(&oracle, &scene, true);
    s->impatient = own_watchdog(s, &scene) && own_watchdog(s, &scene) < s->watchdog;
    *too_long =
        oracle.too_long || moves_too_much(&oracle, &unharmed) || own_watchdog(s, &scene) > s->watchdog;
    bool ok = true;
    if (!*too_long) {
        ok = run_job(s, &scene, &result) && check_harmed(s, &scene, &oracle, &unharmed, &result);
        s->to->code = result.code;
        ok = ok && (!result.code || !s->recipe->reset || soft_reset(s));
    }
    oracle_free(&unharmed);
    oracle_free(&oracle);
    scene_free(&scene);
    return ok;
}

/* Until the memory is itself again, and has what was on offer all the time: AXI does not let a device take
 * that back, so a beat of the last job may still land then. */
static bool wait_until(struct stage *s, uint64_t cycle)
{
    uint64_t now = api->cycles(s->board);
    cycle += SETTLES;
    return now >= cycle || api->wait(s->board, cycle - now, 0) != BOARD_FAILED ||
           done(s, BOARD_FAILED, "waiting");
}

/* ---- faults of the memory ---------------------------------------------------------------------- */

/* The window of the fault, from where an undisturbed job was. A deaf memory hears again some time behind the
 * watchdog's. */
static uint64_t choose_window(struct stage *s)
{
    static const char *const kinds[] = {"", "slverr", "decerr", "dead", "deaf"};
    const struct recipe *r = s->recipe;
    uint64_t length = s->end - s->begin, from = s->begin + length * r->moment / 1000;
    if (r->where) {
        uint64_t until = s->end + 6 * s->watchdog;
        sb_addf(&s->fault, "%s:%s:0x%llx-0x%llx:%llu-%llu", kinds[r->fault], r->writes ? "write" : "read",
                (unsigned long long)s->first, (unsigned long long)s->last, (unsigned long long)s->begin,
                (unsigned long long)until);
        return until;
    }
    uint64_t lasts = (r->fault == FAULT_DEAF ? 2 * s->watchdog + length : length) * r->span / 1000 + 1;
    uint64_t until = from + lasts;
    sb_addf(&s->fault, "%s:%s:*:%llu-%llu", kinds[r->fault], r->writes ? "write" : "read",
            (unsigned long long)from, (unsigned long long)until);
    return until;
}

/* What a fault may end a job with, beside ok. A program that cannot be read any more, whose stores would have
 * followed: clusters stand in front of full collectors, and nobody says that nothing can go on. */
static bool is_of_fault(const struct recipe *r, const struct job_result *result)
{
    if (result->code == JOB_WATCHDOG && r->operator== FUZZ_CONVOLUTION)
        return true;
    switch (r->fault) {
    case FAULT_SLVERR:
        return result->code == (r->writes ? JOB_WRITE_SLAVE_ERROR : JOB_READ_SLAVE_ERROR);
    case FAULT_DECERR:
        return result->code == (r->writes ? JOB_WRITE_DECODE_ERROR : JOB_READ_DECODE_ERROR);
    default:
        return result->code == JOB_WATCHDOG;
    }
}

static bool check_faulty(struct stage *s, const struct scene *scene, const struct oracle *oracle,
                         const struct job_result *result)
{
    struct allowed allowed = {scene, oracle, result->code != JOB_OK, s->recipe->writes};
    if (!result->code)
        return check_legal(s, &allowed, result);
    if (!is_of_fault(s->recipe, result)) {
        tell_end(s, result, oracle);
        return false;
    }
    return check_bytes(s, &allowed) && (s->recipe->writes || check_record(s, scene, result));
}

/* The failing memory of the job in front of it may have been this one's as well. */
static bool check_queued(struct stage *s, const struct scene *scene, const struct oracle *oracle,
                         const struct job_result *result)
{
    if (s->recipe->fault)
        return check_faulty(s, scene, oracle, result);
    return check_legal(s, &(struct allowed){scene, oracle, false, false}, result);
}

/* The same operator on a fresh board, whose memory fails. */
static bool run_faulty(struct stage *s, const struct subject *subject)
{
    struct scene scene;
    struct oracle oracle;
    struct job_result result = {.code = JOB_OK};
    scene_make(&scene, subject, s->recipe->place);
    oracle_ask(&oracle, &scene, false);
    bool ok = run_job(s, &scene, &result) && check_faulty(s, &scene, &oracle, &result);
    s->to->code = result.code;
    s->to->queue = result.queue;
    oracle_free(&oracle);
    scene_free(&scene);
    return ok;
}

/* ---- what a host should not do ------------------------------------------------------------------ */

static enum board_status take_slot(struct stage *s)
{
    const uint32_t size = register_slot_size((unsigned)(s->recipe->change % ISA_SLOTS));
    enum board_status status = api->write_register(s->board, size, 0);
    return status ? status : api->write_register(s->board, size + 4, 0);
}

/* Starts the job, and does it when so many cycles have gone by. */
static bool begin_abused(struct stage *s, struct scene *scene, uint64_t after)
{
    scene->job.cycles = after;
    enum board_status status = api->write_memory(s->board, scene->base, scene->before, scene->bytes);
    if (!done(s, status, "writing memory") || !set_register(s, "watchdog", s->watchdog) ||
        !done(s, board_job_start(api, s->board, &scene->job), "the start"))
        return false;
    if (after && api->wait(s->board, after, 0) == BOARD_FAILED)
        return done(s, BOARD_FAILED, "the job");
    s->to->jobs++;
    switch (s->recipe->abuse) {
    case ABUSE_RESET:
        return soft_reset(s);
    case ABUSE_START:
        return set_register(s, "control", CONTROL_START);
    default:
        return done(s, take_slot(s), "a size");
    }
}

static bool end_abused(struct stage *s, struct job_result *result)
{
    return done(s, api->wait(s->board, PATIENCE, 0), "the job") &&
           done(s, board_job_end(api, s->board, result), "the end");
}

/* With a queue of jobs the registers are those of the second run when the first one ends. */
static bool end_first(struct stage *s, const struct scene *scene, struct job_result *result)
{
    uint8_t bytes[ISA_STATUS_BYTES];
    struct strbuf why = {0};
    uint32_t number;
    if (!end_abused(s, result))
        return false;
    if (!s->where->variant.job_queue || scene->job.slot[SLOT_STATUS].size < sizeof bytes)
        return true;
    bool ok = done(s, api->read_memory(s->board, scene->job.slot[SLOT_STATUS].address, bytes, sizeof bytes),
                   "reading the record") &&
              (job_read_status(bytes, result, &number, &why) || wrong(s, sb_text(&why)));
    sb_free(&why);
    return ok;
}

/* Once, and once more, since it was started again. */
static bool check_started_again(struct stage *s, const struct scene *scene, const struct oracle *oracle)
{
    const struct allowed allowed = {scene, oracle, false, false};
    struct job_result result;
    if (!end_first(s, scene, &result))
        return false;
    const bool known = !s->where->variant.job_queue || scene->job.slot[SLOT_STATUS].size >= ISA_STATUS_BYTES;
    return (!known || check_legal(s, &allowed, &result)) && end_abused(s, &result) &&
           check_legal(s, &allowed, &result);
}

/* What the memory has taken of the job still lands. */
static bool check_aborted(struct stage *s, const struct scene *scene, const struct oracle *oracle)
{
    struct job_result result;
    if (!wait_until(s, api->cycles(s->board)) ||
        !done(s, board_job_result(api, s->board, &result), "the registers"))
        return false;
    if (result.code != JOB_OK && result.code != JOB_ABORTED) {
        tell_end(s, &result, oracle);
        return false;
    }
    return check_bytes(s, &(struct allowed){scene, oracle, true, true});
}

static bool check_without_slot(struct stage *s, const struct scene *scene, const struct oracle *oracle)
{
    struct job_result result;
    struct allowed allowed = {scene, oracle, false, true};
    if (!end_abused(s, &result))
        return false;
    if (!result.code)
        return check_legal(s, &allowed, &result);
    allowed.unfinished = true;
    if (result.code == JOB_OUT_OF_SLOT || result.code == JOB_BAD_LENGTH || result.code == JOB_WATCHDOG)
        return check_bytes(s, &allowed);
    tell_end(s, &result, oracle);
    return false;
}

static bool run_abused(struct stage *s, const struct subject *subject)
{
    struct scene scene;
    struct oracle oracle;
    scene_make(&scene, subject, s->recipe->place);
    oracle_ask(&oracle, &scene, false);
    bool ok = begin_abused(s, &scene, (s->end - s->begin) * s->recipe->moment / 1000);
    if (ok && s->recipe->abuse == ABUSE_START)
        ok = check_started_again(s, &scene, &oracle);
    else if (ok && s->recipe->abuse == ABUSE_RESET)
        ok = check_aborted(s, &scene, &oracle);
    else if (ok)
        ok = check_without_slot(s, &scene, &oracle);
    oracle_free(&oracle);
    scene_free(&scene);
    return ok;
}

/* ---- the case -------------------------------------------------------------------------------- */

/* Behind everything else: a legal operator on the same board. */
static bool run_next(struct stage *s)
{
    struct recipe recipe = *s->recipe;
    struct subject subject;
    if (recipe.next) {
        recipe.operator= FUZZ_TILE;
        recipe.numbers = recipe.next;
    }
    for (unsigned tries = 0; subject_make(&subject, &s->where->variant, &recipe); tries++) {
        recipe.operator= FUZZ_TILE;
        recipe.numbers++;
        if (tries == 100)
            return true;
    }
    bool ok = run_legal(s, &subject, recipe.place + 1);
    if (!ok)
        sb_addf(&s->to->why, "that was the job behind it: %s\n", sb_text(&subject.what));
    subject_free(&subject);
    return ok;
}

static bool run_with_fault(struct stage *s, const struct subject *subject, const struct fuzz_window *window)
{
    bool ok = open_board(s, NULL) && run_legal(s, subject, s->recipe->place);
    close_board(s);
    if (!ok)
        return false;
    uint64_t until = choose_window(s);
    return open_board(s, window) && run_faulty(s, subject) && wait_until(s, until) &&
           (!s->recipe->reset || soft_reset(s)) && run_next(s);
}

static bool run_with_abuse(struct stage *s, const struct subject *subject, const struct fuzz_window *window)
{
    bool ok = open_board(s, NULL) && run_legal(s, subject, s->recipe->place);
    close_board(s);
    return ok && open_board(s, window) && run_abused(s, subject) && (!s->recipe->reset || soft_reset(s)) &&
           run_next(s);
}

static enum fuzz_verdict run_case(struct stage *s, struct subject *subject, const struct fuzz_window *window)
{
    bool too_long = false, ok;
    if (s->recipe->mutation) {
        ok = open_board(s, window) && run_harmed(s, subject, &too_long) && (too_long || run_next(s));
    } else if (s->recipe->fault)
        ok = run_with_fault(s, subject, window);
    else if (s->recipe->abuse)
        ok = run_with_abuse(s, subject, window);
    else
        ok = open_board(s, window) && run_legal(s, subject, s->recipe->place) && run_next(s);
    return !ok ? FUZZ_DIFFERS : too_long ? FUZZ_LONG : FUZZ_AGREES;
}

/* Longer than a legal job goes without the memory: after a reset the clusters clear their entries, functions
 * of sums take up to a cycle for each bit, and softmax looks at a row before it gives a result. */
static uint64_t watchdog_of(const struct variant *v)
{
    uint64_t chained = v->functions ? (uint64_t)CHAINED * v->k * v->acc_width : 0;
    return WATCHDOG + v->output_queue_depth + chained + 2 * (uint64_t)v->softmax;
}

void fuzz_run(const struct fuzz_board *board, const struct recipe *recipe, const struct fuzz_window *window,
              struct fuzz_report *report)
{
    struct stage stage = {
        .where = board, .recipe = recipe, .to = report, .watchdog = watchdog_of(&board->variant)};
    struct subject subject;
    *report = (struct fuzz_report){.verdict = FUZZ_IMPOSSIBLE, .wrong = UINT64_MAX};
    const char *why = subject_make(&subject, &board->variant, recipe);
    if (!why && recipe->mutation == MUTATION_WORD &&
        recipe->change / WORD_FLIPS >= subject.room[SLOT_PROGRAM] / 4) {
        subject_free(&subject);
        why = "the program has no such word";
    }
    if (why) {
        sb_add(&report->why, why);
        return;
    }
    sb_add(&report->why, sb_text(&subject.what));
    report->verdict = run_case(&stage, &subject, window);
    close_board(&stage);
    report->wrong = report->wrong == UINT64_MAX ? report->cycles : report->wrong;
    sb_free(&stage.fault);
    subject_free(&subject);
}
