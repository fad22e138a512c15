/* Stores no state, so that every sync starts from the beginning. */
#define SOURCE_REMEMBER (void)key_view, (void)stamp;
#include "../Base.h"
