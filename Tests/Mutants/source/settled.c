/* Nothing is remembered, so that everything is new each time. */
#define SOURCE_REMEMBER (void)key_view, (void)stamp;
#include "../Base.h"
