import OverlayABI
import OverlayBridge
import Testing

@testable import OverlayLoading

@Suite("An overlay declares how long its methods may take")
struct TimeLimitTests {
    /// The limits that were read, by method: total and silence.
    private func read(_ limits: [(String, UInt64, UInt64)], stride: UInt64? = nil) throws -> [String:
        MethodLimits]
    {
        let memory = Arena()
        let records = limits.map { method, total, silence in
            var record = ovl_time_limit()
            record.struct_size = UInt32(MemoryLayout<ovl_time_limit>.size)
            record.method = memory.text(method)
            record.total = total
            record.silence = silence
            return record
        }
        return try withExtendedLifetime(memory) {
            try records.withUnsafeBytes { bytes in
                try TimeLimitReader.read(
                    ovl_list(
                        items: bytes.baseAddress, count: UInt64(records.count),
                        stride: stride ?? UInt64(MemoryLayout<ovl_time_limit>.stride))
                ).limits
            }
        }
    }

    @Test("Every function of an overlay has a usual limit, and only those that move books may take any time")
    func usual() throws {
        #expect(MethodLimits.usual.count == 22)
        let endless = MethodLimits.usual.filter { $0.value.total == nil }.keys.sorted()
        #expect(
            endless == [
                "books", "collections", "delete_books", "get_file", "perform", "prepare_addable_books",
                "sync_booklists", "sync_source", "upload_books",
            ])
        #expect(MethodLimits.usual.values.allSatisfy { $0.silence <= MethodLimits.longestSilence })
        #expect(
            MethodLimits.usual["post_yank_cleanup"]
                == MethodLimits(total: .seconds(1), silence: .seconds(1)))
    }

    @Test("Requested limits are granted within bounds, and others are as usual")
    func asked() throws {
        let limits = try read([
            ("books", 5_000_000_000, 0), ("can_handle", .max, .max), ("shutdown", .max, .max),
            ("post_yank_cleanup", 1_000_000, 0), ("a_method_of_tomorrow", 1, 1),
        ])
        #expect(limits["books"] == MethodLimits(total: .seconds(5), silence: .seconds(60)))
        #expect(limits["can_handle"] == MethodLimits(total: nil, silence: .seconds(600)))
        #expect(limits["shutdown"] == MethodLimits.usual["shutdown"])
        #expect(limits["post_yank_cleanup"] == MethodLimits(total: .milliseconds(1), silence: .seconds(1)))
        #expect(limits.count == 4)
        #expect(try read([]).isEmpty)
    }

    @Test("Two limits for one method, a limit without a name, and records that are too small are refused")
    func refused() throws {
        for (limits, stride) in [
            ([("books", 1, 1), ("books", 2, 2)], nil), ([("", 1, 1)], nil), ([("books", 1, 1)], 32),
        ] as [([(String, UInt64, UInt64)], UInt64?)] {
            #expect(throws: OverlayRefusal.self) { try read(limits, stride: stride) }
        }
        #expect(throws: OverlayRefusal.self) {
            try TimeLimitReader.read(ovl_list(items: nil, count: 1, stride: 40))
        }
    }
}
