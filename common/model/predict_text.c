/* The texts of the labels are made once; a line is a copy of one, and numbers. */
#include "common/model/predict_text.h"

#include "common/base/memory.h"
#include "common/base/number.h"

#include <string.h>

/* The label at a position as text, in `number` or in the names.  NULL with err. */
static const char *predict_text_label(const struct predict_text *text, const struct names *names,
                                      int64_t k, char number[NUMBER_TEXT + 1], struct error *err)
{
    const int32_t label = text->model->label[k];
    if (!names) {
        *number_write_int(number, label) = '\0';
        return number;
    }
    const struct name *name = names_require(names, label, err);
    if (!name)
        return NULL;
    if (text->scores && strchr(name->text, ' ')) {
        error_at(err, names->text.name, name->line, 0,
                 "a name with a blank cannot be told from the scores after it");
        return NULL;
    }
    return name->text;
}

int predict_text_make(const struct predict_model *model, const struct names *names, bool scores,
                      struct predict_text *text, struct error *err)
{
    const int64_t K = model->classes;
    int64_t longest = 0, capacity = 0;
    *text = (struct predict_text){.model = model, .scores = scores};
    if (!(text->start = memory_new(K + 1, sizeof *text->start, err)))
        return -1;
    for (int64_t k = 0; k < K; k++) {
        char number[NUMBER_TEXT + 1];
        const char *label = predict_text_label(text, names, k, number, err);
        const int64_t length = label ? (int64_t)strlen(label) : 0, start = text->start[k];
        char *block = label ? memory_reserve(text->block, &capacity, start + length, 1, err) : NULL;
        if (!block)
            return -1;
        text->block = block;
        memcpy(block + start, label, (size_t)length);
        text->start[k + 1] = start + length;
        if (length > longest)
            longest = length;
    }
    text->size = longest + 1 + (scores ? (K + 1) * (NUMBER_TEXT + 1) : 0);
    return 0;
}

/* ---- lines ---- */

static char *predict_text_put_label(const struct predict_text *text, char *p, int64_t k)
{
    const int64_t length = text->start[k + 1] - text->start[k];
    memcpy(p, text->block + text->start[k], (size_t)length);
    return p + length;
}

/* ` p1 ... pK` */
static char *predict_text_put_probabilities(char *p, const double *scores,
                                            const struct predict_model *model, double *probability)
{
    predict_probabilities(model, scores, probability);
    for (int64_t k = 0; k < model->classes; k++) {
        *p++ = ' ';
        p = number_write(p, probability[k]);
    }
    return p;
}

/* ` s1 ... sK`; the two scores that one score s stands for are -s and s, so that the first of
 * equals is the negative class. */
static char *predict_text_put_scores(char *p, const double *scores,
                                     const struct predict_model *model)
{
    if (predict_is_signed(model)) {
        *p++ = ' ';
        p = number_write(p, 0 - scores[0]); /* -scores[0] would be written -0 where it is 0 */
    }
    for (int64_t k = 0; k < model->columns; k++) {
        *p++ = ' ';
        p = number_write(p, scores[k]);
    }
    return p;
}

/* Labels are in the order of the scores. */
void predict_text_head(const struct predict_text *text, struct output *out)
{
    const struct predict_model *model = text->model;
    if (!text->scores)
        return;
    output_write(out, "labels", 6);
    for (int64_t k = 0; k < model->classes; k++) {
        const int64_t at = predict_is_signed(model) ? 1 - k : k;
        output_write(out, " ", 1);
        output_write(out, text->block + text->start[at], text->start[at + 1] - text->start[at]);
    }
    output_write(out, "\n", 1);
}

char *predict_text_line(const struct predict_text *text, char *p, const double *scores,
                        double *probability, int64_t *choice)
{
    *choice = predict_choice(text->model, scores);
    p = predict_text_put_label(text, p, *choice);
    if (text->scores && text->model->temperature > 0)
        p = predict_text_put_probabilities(p, scores, text->model, probability);
    else if (text->scores)
        p = predict_text_put_scores(p, scores, text->model);
    *p++ = '\n';
    return p;
}

/* ---- a file ---- */

int predict_text_write(const struct predict_model *model, const double *scores, int64_t n,
                       bool with_scores, struct output *out, struct error *err)
{
    struct predict_text text = {0};
    char *line = NULL;
    double *probability = NULL;
    int status = -1;
    if (predict_text_make(model, NULL, with_scores, &text, err) != 0
        || !(line = memory_new(text.size, 1, err))
        || !(probability = memory_new(model->classes, sizeof *probability, err)))
        goto done;
    predict_text_head(&text, out);
    for (int64_t i = 0; i < n; i++, scores += model->columns) {
        int64_t choice;
        output_write(out, line,
                     predict_text_line(&text, line, scores, probability, &choice) - line);
    }
    status = output_flush(out, err);
done:
    memory_free(probability);
    memory_free(line);
    predict_text_free(&text);
    return status;
}

void predict_text_free(struct predict_text *text)
{
    memory_free(text->block);
    memory_free(text->start);
    *text = (struct predict_text){0};
}
