import OverlayABI
import OverlayBridge
import OverlayKit

/// A host's receiver that keeps rows and stops after `limit` rows.
final class TestSink<Row> {
    var rows: [Row] = []
    let limit: Int

    init(limit: Int = .max) { self.limit = limit }

    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func take(_ context: UnsafeMutableRawPointer?, _ row: () throws(OverlayError) -> Row) -> ovl_status
    {
        guard let context else { return OVL_CONTRACT_BROKEN }
        let sink = Unmanaged<TestSink<Row>>.fromOpaque(context).takeUnretainedValue()
        do throws(OverlayError) {
            sink.rows.append(try row())
        } catch {
            return error.status.rawValue
        }
        return sink.rows.count < sink.limit ? OVL_OK : OVL_STOPPED
    }
}

extension TestSink where Row == Book {
    var sink: ovl_book_sink {
        var sink = ovl_book_sink.sized()
        sink.ctx = context
        sink.put = { context, book in
            TestSink<Book>.take(context) { () throws(OverlayError) in try Book(.copy(required: book)) }
        }
        return sink
    }
}

extension TestSink where Row == ItemResult {
    var sink: ovl_result_sink {
        var sink = ovl_result_sink.sized()
        sink.ctx = context
        sink.put = { context, row in
            TestSink<ItemResult>.take(context) { () throws(OverlayError) in
                try ItemResult(.copy(required: row))
            }
        }
        return sink
    }
}

extension TestSink where Row == BooklistEdit {
    var sink: ovl_edit_sink {
        var sink = ovl_edit_sink.sized()
        sink.ctx = context
        sink.put = { context, row in
            TestSink<BooklistEdit>.take(context) { () throws(OverlayError) in
                try BooklistEdit(.copy(required: row))
            }
        }
        return sink
    }
}

extension TestSink where Row == Presence {
    var sink: ovl_presence_sink {
        var sink = ovl_presence_sink.sized()
        sink.ctx = context
        sink.put = { context, row in
            TestSink<Presence>.take(context) { () throws(OverlayError) in try Presence(.copy(required: row)) }
        }
        return sink
    }
}

/// A piece of a file as it arrived.
struct TestChunk: Equatable {
    var bytes: [UInt8]
    var offset: UInt64
    var total: UInt64
}

extension TestSink where Row == TestChunk {
    var sink: ovl_bytes_sink {
        var sink = ovl_bytes_sink.sized()
        sink.ctx = context
        sink.put = { context, chunk, offset, total in
            TestSink<TestChunk>.take(context) { () throws(OverlayError) in
                guard let bytes = try chunk.pointee.array("chunk") else {
                    throw .contractBroken("A piece is absent.")
                }
                return TestChunk(bytes: bytes, offset: offset, total: total)
            }
        }
        return sink
    }
}
