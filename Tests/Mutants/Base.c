/* Keeps every rule. */
#include "Base.h"
