import SimulatedDevice
import DeviceTransport
import Foundation
import OverlayHost
import TestSupport
import Testing

@testable import Conformance

@Suite("Checks see the device with its faults")
struct FaultyFilesTests {
    @Test("Folders are read ahead as from the device itself, and each of them is a request that can fail")
    func listings() throws {
        try withSimulatedDevice { device in
            let folders = ["a", "b", "c"]
            for name in folders {
                try FileManager.default.createDirectory(
                    at: device.mediaFolder.appendingPathComponent("\(name)/in \(name)"),
                    withIntermediateDirectories: true)
            }
            let context = OperationContext()
            let session = try DeviceSession(
                try DeviceCatalog().device(matching: device.settings.udid, context), options: .init(), context
            )
            let faults = DeviceFaults()
            let faulty = FaultyDevice(session, faults)
            defer { faulty.closeForGood() }
            let files = try faulty.openFiles(.media, context)
            #expect(files.overlapsListings)
            faults.arm(vanishesAt: 2)
            let answers = files.listMany(folders.map { "/" + $0 }, keeping: 1 << 20, context)
            #expect(try answers[0].get() == ["in a"])
            for answer in answers.dropFirst() {
                let error = #expect(throws: TransportError.self) { try answer.get() }
                #expect(error?.code == .deviceGone)
            }
            #expect(faults.requests == 2)
        }
    }
}
