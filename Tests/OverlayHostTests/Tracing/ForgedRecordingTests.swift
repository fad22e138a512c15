import OverlayTestSupport
import OverlayCalls
import WorkerRPC
import Foundation
import OverlayABI
import TestSupport
import Testing
import Tracing

@testable import OverlayWorkers
@testable import OverlayHost

@Suite("A forged recording is refused, and never leads to invalid memory")
struct ForgedRecordingTests {
    /// The change to a recording.
    enum Forgery: String, CaseIterable {
        /// A service's table is answered with a number, as if another function had been called.
        case numberForTable
        /// A service's table is answered by a function without a result.
        case nothingForTable
        /// A return has the number of another call.
        case returnOfAnotherCall
        /// A return goes in the other direction than its call.
        case otherDirection
        /// A row of the list of files arrives as a piece of a book.
        case rowOfAnotherSink
        /// A method is called of an instance that was not created.
        case noInstance
    }

    /// A recording as its records, whose headers docs/trace.md describes.
    private struct File {
        var bytes: [UInt8]
        private(set) var places: [Int] = []

        init(_ data: Data) {
            bytes = [UInt8](data)
            var place = Int(word(12))
            while place + 32 <= bytes.count, word(place) >= 32 {
                places.append(place)
                place += Int(word(place))
            }
        }

        func word(_ place: Int) -> UInt32 {
            (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
        }

        mutating func set(_ place: Int, _ word: UInt32) {
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: word >> UInt32(8 * index)) }
        }

        /// The offset of the first record of a kind and function.
        func place(_ kind: UInt8, of function: FunctionPlan) throws -> Int {
            try #require(places.first { bytes[$0 + 4] == kind && word($0 + 24) == Self.code(function) })
        }

        static func code(_ function: FunctionPlan) -> UInt32 {
            UInt32(function.record.index) | UInt32(function.index) << 16
        }
    }

    private static func function(_ record: String, _ name: String) throws -> FunctionPlan {
        let plan = try #require(ContractPlans.shared.record(record))
        return try #require(plan.functions.lazy.compactMap { $0 }.first { $0.name == name })
    }

    private func forge(_ forgery: Forgery, _ file: inout File) throws {
        let service = try Self.function("ovl_host", "get_service")
        let books = try Self.function("ovl_methods", "books")
        let (call, answer): (UInt8, UInt8) = (1, 2)
        switch forgery {
        case .numberForTable, .nothingForTable:
            let other =
                forgery == .numberForTable
                ? try Self.function("ovl_cancel_service", "time_left")
                : try Self.function("ovl_log_service", "write")
            let place = try file.place(answer, of: service)
            file.set(place + 24, File.code(other))
            file.set(place + 32, 0x4141_4141)
            file.set(place + 36, 0x41)
        case .returnOfAnotherCall: file.set(try file.place(answer, of: books) + 16, 7_000)
        case .otherDirection: file.bytes[try file.place(answer, of: service) + 5] ^= 1
        case .rowOfAnotherSink:
            let row = try Self.function("ovl_file_sink", "put")
            for kind in [call, answer] {
                file.set(
                    try file.place(kind, of: row) + 24,
                    File.code(try Self.function("ovl_bytes_sink", "put")))
            }
        case .noInstance:
            let create = try Self.function("ovl_entry", "create")
            let overlay = file.word(try file.place(call, of: create) + 28)
            for kind in [call, answer] {
                let place = try file.place(kind, of: books)
                file.set(place + 20, 77)
                file.set(place + 28, overlay)
            }
        }
    }

    @Test(
        "Replaying a forged recording ends with 66 and the reason, in a worker and without",
        arguments: Forgery.allCases, [false, true])
    func forged(_ forgery: Forgery, isWorker: Bool) throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false, limits: .whole)
        var file = File(try Data(contentsOf: URL(fileURLWithPath: shelf.recording)))
        try forge(forgery, &file)
        try Data(file.bytes).write(to: URL(fileURLWithPath: shelf.recording))
        // In a separate process, which an invalid pointer would end.
        let result = try runProgram(
            try FaultyOverlay.program(),
            ["replay", shelf.recording, shelf.world.file("shelf.so"), "--json"]
                + (isWorker ? [] : ["--in-process"]),
            environment: ["HOME": shelf.world.folder.path])
        #expect(result.status == 66, "\(result)")
        #expect(result.output.contains("\"result\": \"incomplete\""), "\(result)")
        #expect(!result.output.contains("\"obstacle\": null"), "\(result)")
    }

    @Test("Calls that are nested deeper than any program nests them are refused")
    func deep() throws {
        let shelf = try ShelfWorld()
        try shelf.record(isWorker: false)
        var file = File(try Data(contentsOf: URL(fileURLWithPath: shelf.recording)))
        let place = try file.place(1, of: try Self.function("ovl_host", "get_service"))
        let call = Array(file.bytes[place..<place + Int(file.word(place))])
        file.bytes.insert(contentsOf: (0..<200_000).flatMap { _ in call }, at: place)
        try Data(file.bytes).write(to: URL(fileURLWithPath: shelf.recording))
        let result = try runProgram(
            try FaultyOverlay.program(), ["replay", shelf.recording, shelf.world.file("shelf.so"), "--json"],
            environment: ["HOME": shelf.world.folder.path])
        #expect(result.status == 66, "\(result)")
        #expect(result.output.contains("wait for each other"), "\(result)")
    }
}
