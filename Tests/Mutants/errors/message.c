/* An error without a sentence. */
#define ON_ERROR record.message = (ovl_text){0};
#include "../Base.h"
