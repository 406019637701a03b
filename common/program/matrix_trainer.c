/* What forward-train and uma-train do alike with the files of a matrix. */
#include "common/program/matrix_trainer.h"

#include "common/base/input.h"

int matrix_trainer_read(struct trainer *t, const char *given, struct confusion *C,
                        struct error *err)
{
    if (confusion_option_read(given, "in --labels", C, &t->labels, err) != 0)
        return -1;
    char text[CONFUSION_OPTION_TEXT];
    if (C->unseen > 0)
        trainer_warn(t, "%s: %s", input_name(given), confusion_option_unseen(C->unseen, text));
    return 0;
}

int matrix_trainer_write(const struct confusion *C, const char *path, struct output *out,
                         struct error *err)
{
    if (output_open(out, path, err) != 0)
        return -1;
    confusion_write(C, false, out);
    return output_flush(out, err);
}
