/* Each kind of file is known by the first line that is refused.  The order of the questions counts:
 * a line of CSV may also begin with a number, and a table with tabs is one of columns, too. */
#include "common/data/example_label.h"

#include "common/base/number.h"
#include "common/data/example_token.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXAMPLE_NO_INTEGER "the label is not an integer"

/* The character that separates the cells, if the line is one of a table: a tab, a semicolon or a
 * comma, and nothing that looks like index:value.  Else 0. */
static char example_table_separator(const char *line)
{
    const size_t size = strcspn(line, "\n");
    if (memchr(line, ':', size))
        return 0;
    for (const char *c = "\t;,"; *c; c++)
        if (memchr(line, *c, size))
            return *c;
    return 0;
}

/* The last cell of a line: what follows the last of these separators, but for blanks at the end of
 * the line.  end: out, the place after the cell. */
static const char *example_last_cell(const char *line, const char *separators, const char **end)
{
    const char *p = line + strcspn(line, "\n");
    while (p > line && strchr(" \t\r", p[-1]))
        p--;
    *end = p;
    while (p > line && !strchr(separators, p[-1]))
        p--;
    return p;
}

/* Are there cells after the first, separated by commas, with a number in the last? */
static bool example_is_csv_of_numbers(const char *line)
{
    const char *end, *cell = example_last_cell(line, ",", &end);
    double number;
    return cell > line && number_read(cell, &cell, &number) == NUMBER_OK && cell == end;
}

/* Are there columns after the first, which ends at p, with an integer in the last? */
static bool example_has_columns(const char *p)
{
    const char *end, *cell = example_last_cell(p, " \t\r", &end);
    int64_t label;
    return cell > p && !memchr(p, ':', (size_t)(end - p))
           && number_read_int(cell, &cell, INT32_MIN, INT32_MAX, &label) == NUMBER_OK
           && cell == end;
}

/* Does the token look like label:feedback:propensity? */
static bool example_is_of_log(const char *token)
{
    int64_t number;
    const char *p;
    if (number_read_int(token, &p, INT32_MIN, INT32_MAX, &number) != NUMBER_OK || *p != ':')
        return false;
    return number_read_int(p + 1, &p, -1, 1, &number) == NUMBER_OK && *p == ':';
}

/* Does the token look like index:value? */
static bool example_is_feature(const char *token)
{
    int64_t index;
    double value;
    const char *p;
    return number_read_int(token, &p, 0, INT32_MAX, &index) == NUMBER_OK && *p == ':'
           && number_read(p + 1, &p, &value) == NUMBER_OK && example_at_token_end(p);
}

/* What a file is whose line begins so and has no index:value; NULL: none of ours. */
static const char *example_other_file(const char *line)
{
    static const struct {
        const char *begins, *is;
    } files[] = {{"solver_type ", "a model"},
                 {"svm_type ", "a model"},
                 {"map ", "a model"},
                 {"confusion 1", "a confusion matrix"},
                 {"labels ", "a file of predictions"}};
    if (memchr(line, ':', strcspn(line, "\n")))
        return NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (strncmp(line, files[i].begins, strlen(files[i].begins)) == 0)
            return files[i].is;
    return NULL;
}

/* Is the label what tables write for one that is missing? */
static bool example_is_unknown(const char *token)
{
    static const char *const words[] = {"NaN", "nan", "NA"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(token, words[i], length) == 0 && example_at_token_end(token + length))
            return true;
    }
    return false;
}

/* Is the token a number that awk turns into an integer? */
static bool example_is_round(const char *token)
{
    double number;
    const char *p;
    return number_read(token, &p, &number) == NUMBER_OK && fabs(number) <= INT32_MAX
           && !(number > floor(number)) && example_at_token_end(p);
}

/* Does the line begin with an integer and a comma, and end with a number? */
static bool example_is_csv(const char *token)
{
    int64_t label;
    const char *p;
    return number_read_int(token, &p, INT32_MIN, INT32_MAX, &label) == NUMBER_OK && *p == ','
           && example_is_csv_of_numbers(token);
}

/* Of a table with this separator. */
static const char *example_table_fault(char separator, char text[EXAMPLE_LABEL_FAULT])
{
    const char *option = "";
    if (separator == ';')
        option = "-v sep=';' ";
    else if (separator == '\t')
        option = "-v sep='\\t' ";
    snprintf(text, EXAMPLE_LABEL_FAULT,
             EXAMPLE_NO_INTEGER
             " (a table with the label in the last column is turned by: awk -v names=NAMES "
             "-v features=FEATURES %s-f examples/csv2libsvm.awk FILE; -v label=1: in the first "
             "column; -v header=0: without a header)",
             option);
    return text;
}

/* Of blanks as separators: words, columns, numbers.  NULL: none of these. */
static const char *example_blanks_fault(const char *token)
{
    const char *p;
    double number;
    if ((*token >= 'a' && *token <= 'z') || (*token >= 'A' && *token <= 'Z'))
        return EXAMPLE_NO_INTEGER
            " (where labels are words without blanks, they are numbered, and listed in the file "
            "names, by: awk 'BEGIN {while ((getline < \"names\") > 0) k[$2]=n=$1} !($1 in k) "
            "{k[$1]=++n; print n,$1 >> \"names\"} {$1=k[$1]} 1' FILE)";
    if (number_read(token, &p, &number) == NUMBER_OK && example_has_columns(p))
        return EXAMPLE_NO_INTEGER
            " (columns with the label in the last one are turned by: awk '{s=$NF; "
            "for(i=1;i<NF;i++) if($i!=0) s=s\" \"i\":\"$i; print s}' FILE)";
    if (example_is_round(token))
        return EXAMPLE_NO_INTEGER " (1.0 becomes 1 by: awk '{$1 += 0} 1' FILE)";
    return NULL;
}

const char *example_label_fault(const char *token, bool advises, bool unlabelled,
                                char text[EXAMPLE_LABEL_FAULT])
{
    const char separator = example_table_separator(token), *other = example_other_file(token);
    if (other) {
        snprintf(text, EXAMPLE_LABEL_FAULT, "this is %s; data were expected", other);
        return text;
    }
    if (!advises)
        return EXAMPLE_NO_INTEGER;
    if (example_is_of_log(token))
        return EXAMPLE_NO_INTEGER
            " (a bandit log is read by rcnbf-train --log and rcnbf-predict --log)";
    if (example_is_feature(token) && unlabelled)
        return EXAMPLE_NO_INTEGER " (of lines that have none it is ?: sed 's/^/? /' FILE)";
    if (example_is_feature(token))
        return EXAMPLE_NO_INTEGER " (a line begins with its label)";
    if (separator == ',' && example_is_csv(token))
        return EXAMPLE_NO_INTEGER
            " (CSV with the label in front is turned by: awk -F, '{s=$1; for(i=2;i<=NF;i++) "
            "if($i!=0) s=s\" \"(i-1)\":\"$i; print s}' FILE)";
    if (separator)
        return example_table_fault(separator, text);
    if (example_is_unknown(token) && unlabelled)
        return EXAMPLE_NO_INTEGER " (one that is not known is ?)";
    if (example_is_unknown(token))
        return EXAMPLE_NO_INTEGER " (leave out lines whose label is not known)";
    const char *fault = example_blanks_fault(token);
    return fault ? fault : EXAMPLE_NO_INTEGER;
}
