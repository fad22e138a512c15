/* Reports an error without a message. */
#define ON_ERROR record.message = (ovl_text){0};
#include "../Base.h"
