/* Orders for qsort. */
#include "check.h"
#include "common/base/order.h"

static void check_order(void)
{
    check_group("an order for qsort");
    CHECK_INT(order_by(1, 2, 5, 4), -1, "the smaller value");
    CHECK_INT(order_by(2, 1, 4, 5), 1, "the larger value");
    CHECK_INT(order_by(-INFINITY, INFINITY, 5, 4), -1, "infinite values");
    CHECK_INT(order_by(0, -0.0, 4, 5), -1, "equal values, the smaller place");
    CHECK_INT(order_by(1, 1, 5, 4), 1, "equal values, the larger place");
    CHECK_INT(order_by(1, 1, 5, 5), 0, "the same element");
    CHECK_INT(order_by(NAN, 1, 4, 5), -1, "not a number, the smaller place");
    CHECK_INT(order_by(1, NAN, 5, 4), 1, "not a number, the larger place");
}

int main(void)
{
    check_order();
    return check_finish();
}
