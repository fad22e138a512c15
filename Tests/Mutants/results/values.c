/* Answers with an undefined reason. */
#define IN_CAN_HANDLE presence.reason = 99;
#include "../Base.h"
