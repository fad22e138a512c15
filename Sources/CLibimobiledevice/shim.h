// libimobiledevice, libusbmuxd and libplist: only DeviceTransport imports this module (the benchmarks compare with it).
#pragma once
#include <libimobiledevice/afc.h>
#include <libimobiledevice/house_arrest.h>
#include <libimobiledevice/installation_proxy.h>
#include <libimobiledevice/libimobiledevice.h>
#include <libimobiledevice/lockdown.h>
#include <libimobiledevice/property_list_service.h>
#include <libimobiledevice/service.h>
#include <plist/plist.h>
#include <usbmuxd.h>
