import DeviceTransport
import Foundation
import Glibc
import SimulatedDevice
import TestSupport
import Testing

/// Each test runs in a separate process, because the address of usbmuxd and open connections are per process.
@Suite("Devices are found again when usbmuxd comes and goes") struct MuxTests {
    @Test("Without usbmuxd the error says so, and where it was looked for")
    func noDaemon() async {
        await #expect(processExitsWith: .success) {
            setenv("USBMUXD_SOCKET_ADDRESS", "UNIX:/nonexistent/usbmuxd", 1)
            let error = failure { try DeviceCatalog().devices() }
            require(error?.code == .muxUnavailable && error?.hint?.contains("/nonexistent/usbmuxd") == true)
            setenv("USBMUXD_SOCKET_ADDRESS", "UNIX:/nonexistent/usbmuxd", 1)
            require(code { try DeviceCatalog().device(matching: "x") } == .muxUnavailable)
        }
    }

    @Test("A subscription notices a daemon that starts late, a cable, and a daemon that restarts")
    func lateDaemon() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let daemon = SimulatedUsbmuxd(socketPath: folder.path("mux"))
            setenv("USBMUXD_SOCKET_ADDRESS", daemon.address, 1)
            let events = DeviceCatalog().events()
            require(code { try events.next(OperationContext(limit: .milliseconds(10))) } == .timedOut)

            let udid = randomUDID()
            let device = try SimulatedDevice(
                folder: folder.url.appendingPathComponent("device"),
                settings: SimulatedDeviceSettings(udid: udid))
            try daemon.start()
            func next() throws -> DeviceEvent { try events.next(OperationContext(limit: .seconds(300))) }
            daemon.attach(device)
            require(try next() == DeviceEvent(kind: .attached, udid: udid, link: .usb))
            daemon.detach(device)
            require(try next() == DeviceEvent(kind: .detached, udid: udid, link: .usb))
            daemon.attach(device)
            require(try next().kind == .attached)
            daemon.stop()
            require(try next().kind == .detached)
            try daemon.start()
            require(try next().kind == .attached)
            let late = DeviceCatalog().events()
            require(try late.next(OperationContext(limit: .seconds(300))).udid == udid)
            daemon.stop()
        }
    }

    @Test("When usbmuxd goes away, calls end with device gone, and a new session works with the next one")
    func restartedDaemon() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let daemon = SimulatedUsbmuxd(socketPath: folder.path("mux"))
            setenv("USBMUXD_SOCKET_ADDRESS", daemon.address, 1)
            var settings = SimulatedDeviceSettings.reader
            settings.udid = randomUDID()
            let device = try SimulatedDevice(
                folder: folder.url.appendingPathComponent("device"), settings: settings)
            try daemon.start()
            daemon.attach(device)
            let files = try openFiles(device)
            try device.update { $0.faults = FaultPlan([Fault(.stall)]) }
            let listing = inBackground { code { try files.list("/Documents") } }
            try waitUntil { device.counters.requests["afc.READ_DIR"] == 1 }
            daemon.stop()
            require(listing() == .deviceGone)
            try device.update { $0.faults = FaultPlan() }
            try daemon.start()
            require(try openFiles(device).list("/Documents").isEmpty)
            daemon.stop()
        }
    }

    @Test("A cable pulled from an encrypted connection does not end the process")
    func brokenPipe() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let device = try attachedDevice(.encryptedReader)
            let files = try openFiles(device)
            try files.write(.bytes(pattern(10)), to: "/Documents/a")
            SharedUsbmuxd.daemon.detach(device)
            require(code { try files.write(.bytes(pattern(100_000)), to: "/Documents/a") } == .deviceGone)
            require(code { try files.list("/Documents") } == .deviceGone)
            files.close()
        }
    }

    @Test("A process with too many open files gets an error and is not aborted")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let device = try attachedDevice(.encryptedReader)
            let files = try openFiles(device)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = min(4096, limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var opened: Int32 = 0
            while opened < 1500 {
                opened = open("/dev/null", O_RDONLY)
                if opened < 0 { break }
            }
            require(code { try DeviceCatalog().devices() } == .tooManyDescriptors)
            require(code { try openFiles(device) } == .tooManyDescriptors)
            // Open connections continue, regardless of the numbers of other files.
            require(try files.list("/Documents").isEmpty)
            let results = files.pushMany((0..<30).map { PushRequest(.bytes([1]), to: "/Documents/\($0)") })
            require(results.allSatisfy { result in code { try result.get() } == nil })
        }
    }
}

/// Ends this process with a failure if a condition does not hold.
func require(_ condition: @autoclosure () throws -> Bool, line: Int = #line) {
    do {
        if try condition() { return }
        FileHandle.standardError.write(Data("line \(line): not so\n".utf8))
    } catch {
        FileHandle.standardError.write(Data("line \(line): \(error)\n".utf8))
    }
    exit(3)
}

/// A device that stays attached as long as the process runs.
func attachedDevice(_ settings: SimulatedDeviceSettings) throws -> SimulatedDevice {
    var settings = settings
    settings.udid = randomUDID()
    let folder = URL(fileURLWithPath: SharedUsbmuxd.daemon.socketPath).deletingLastPathComponent()
        .appendingPathComponent(settings.udid)
    let device = try SimulatedDevice(folder: folder, settings: settings)
    SharedUsbmuxd.daemon.attach(device)
    return device
}
