/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames as bytes (host/serial/frame.h).
 */
#include "host/serial/frame.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/sim_serial/far_end.h"

Test(frame, check_sum_is_the_usual_one)
{
    cr_assert_eq(serial_sum((const uint8_t *)"123456789", 9), 0x29B1);
    cr_assert_eq(serial_sum(NULL, 0), 0xFFFF);
}

Test(frame, requests_are_as_documented)
{
    static const uint8_t expected[] = {0x54, 9, 7, 2, 0x10, 0x32, 0x54, 0x76, 4, 3, 2, 1, 8, 7, 6, 5};
    const uint32_t words[] = {0x01020304, 0x05060708};
    const struct serial_request request = {
        .number = 9, .operation = SERIAL_WRITE_MEMORY, .address = 0x76543210, .words = words, .count = 2};
    uint8_t frame[SERIAL_REQUEST_MAX];
    const size_t bytes = serial_request(&request, frame);
    cr_assert_eq(bytes, sizeof expected + 2);
    cr_assert_arr_eq(frame, expected, sizeof expected);
    cr_assert_eq(serial_sum(frame, bytes), 0, "a frame with its sum has the sum 0");
}

Test(frame, answers_are_told_from_parts_of_them)
{
    const uint32_t words[] = {0xDEADBEEF, 0x00C0FFEE};
    uint8_t frame[SERIAL_ANSWER_MAX];
    size_t want;
    const size_t bytes = make_answer(frame, 77, SERIAL_DONE, words, 2);
    for (size_t have = 0; have < bytes; have++) {
        cr_assert_eq(serial_answer(frame, have, &want), SERIAL_MORE, "%zu bytes", have);
        cr_assert(want > have && want <= bytes, "%zu of %zu bytes", have, want);
    }
    cr_assert_eq(serial_answer(frame, bytes, &want), SERIAL_WHOLE);
    cr_assert_eq(serial_answer_number(frame), 77);
    cr_assert_eq(serial_answer_status(frame), SERIAL_DONE);
    cr_assert_eq(serial_answer_words(frame), 2);
    cr_assert_eq(serial_answer_word(frame, 1), 0x00C0FFEE);
}

Test(frame, no_flipped_bit_goes_unnoticed)
{
    const uint32_t words[] = {1, 2, 3};
    uint8_t frame[SERIAL_ANSWER_MAX + 4] = {0};
    size_t want;
    const size_t bytes = make_answer(frame, 5, SERIAL_DONE, words, 3);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        cr_assert_neq(serial_answer(frame, bytes, &want), SERIAL_WHOLE, "bit %zu", bit);
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_assert_eq(serial_answer(frame, bytes, &want), SERIAL_WHOLE);
}

Test(frame, lengths_and_statuses_that_cannot_be_are_refused_at_once)
{
    size_t want;
    const uint8_t long_one[] = {0x41, 1, SERIAL_DONE, SERIAL_WORDS_MAX + 1};
    const uint8_t status[] = {0x41, 1, SERIAL_LOST + 1, 0};
    const uint8_t start[] = {0x54};
    cr_assert_eq(serial_answer(long_one, sizeof long_one, &want), SERIAL_BROKEN);
    cr_assert_eq(serial_answer(status, sizeof status, &want), SERIAL_BROKEN);
    cr_assert_eq(serial_answer(start, sizeof start, &want), SERIAL_BROKEN);
}
