/* Counts rows from one. */
#define ON_DELETE_ROW row.index = i + 1;
#include "../Base.h"
