/* Reports a row of the plan without an item. */
#define ON_SOURCE_ROW row.item = (ovl_text){NULL, 0};
#include "../Base.h"
