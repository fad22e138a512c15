/* Nothing is wrong with this one. */
#include "Base.h"
