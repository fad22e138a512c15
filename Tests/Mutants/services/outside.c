/* Uses the progress service in `destroy`. */
#define IN_DESTROY report(instance, 1, 1);
#include "../Base.h"
