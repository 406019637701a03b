/* Error messages, where they point, and quoted tokens. */
#include "check.h"
#include "common/base/error.h"

#include <string.h>

static void check_errors(void)
{
    check_group("messages");
    struct error err = {0}, task = {0}, kept = {.line = 9};
    CHECK(error_take(&task, &kept) == 0 && kept.line == 9, "no message, no error");
    CHECK(error_at(&task, "f", 3, 4, "%d", 5) == -1 && error_take(&task, NULL) == -1,
          "nobody asks");
    CHECK(error_take(&task, &err) == -1 && strcmp(err.file, "f") == 0 && err.line == 3
              && err.column == 4 && strcmp(err.message, "5") == 0,
          "taken, %s:%lld", err.file, (long long)err.line);
    CHECK(error_set(&err, "%s", "x") == -1 && !err.file[0] && err.line == 0 && err.column == 0
              && strcmp(err.message, "x") == 0,
          "no place");
    error_name(NULL, "f");
    error_name(&err, NULL);
    CHECK(!err.file[0], "no file to name");
    error_name(&err, "f");
    error_name(&err, "g");
    CHECK(strcmp(err.file, "f") == 0, "the first file is named, not %s", err.file);
    CHECK(error_set(NULL, "nobody asks") == -1, "nobody asks");
    static const struct {
        const char *file, *text;
        int64_t line, column;
    } forms[] = {{NULL, "p: m\n", 0, 0},
                 {"f", "p: f: m\n", 0, 0},
                 {"f", "p: f:1: m\n", 1, 0},
                 {"f", "p: f:1:1: m\n", 1, 1},
                 {"f", "p: f:23:45: m\n", 23, 45}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char line[64] = "";
        FILE *out = fmemopen(line, sizeof line, "w");
        error_at(&err, forms[i].file, forms[i].line, forms[i].column, "m");
        CHECK(out != NULL, "a stream");
        if (out) {
            error_print(out, "p", &err);
            fclose(out);
        }
        CHECK(strcmp(line, forms[i].text) == 0, "%s", line);
    }
    /* 40 bytes of a token are shown, and those that are no plain text by their numbers. */
    char quoted[ERROR_QUOTE];
    static const char all[] = "0123456789012345678901234567890123456789x";
    CHECK(strcmp(error_quote(all, 40, quoted), "0123456789012345678901234567890123456789") == 0,
          "%s", quoted);
    CHECK(strcmp(error_quote(all, 41, quoted), "0123456789012345678901234567890123456789...") == 0,
          "%s", quoted);
    CHECK(strcmp(error_quote(all, 1, quoted), "0") == 0, "%s", quoted);
    CHECK(strcmp(error_quote(all, 0, quoted), "") == 0, "%s", quoted);
    CHECK(strcmp(error_quote("\x1f \x7e\x7f\xff\x80", 6, quoted), "\\x1f ~\\x7f\\xff\\x80") == 0,
          "%s", quoted);
    char wide[50];
    memset(wide, 0x80, sizeof wide);
    CHECK_INT((int64_t)strlen(error_quote(wide, sizeof wide, quoted)), 40 * 4 + 3, "the longest");
}

int main(void)
{
    check_errors();
    return check_finish();
}
