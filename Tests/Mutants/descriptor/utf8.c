/* Has a summary in Latin 1. */
#define DESCRIPTOR_FIELDS .summary = TEXT("Keeps \xe4ll rules.")
#include "../Base.h"
