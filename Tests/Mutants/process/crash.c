/* Memory that is not its own. */
#define IN_GET *(volatile int *)8 = 1;
#include "../Base.h"
