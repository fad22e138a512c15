import OverlayABI
import OverlayBridge

@testable import OverlayWorkers
@testable import OverlayHost

/// Collects the records of a sink whose `put` has only a record.
final class Receiver<Record> {
    private let body: (Record) -> Void

    init(_ body: @escaping (Record) -> Void) { self.body = body }

    /// For a sink; this object must live as long as the sink.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static func take(_ context: UnsafeMutableRawPointer?, _ record: UnsafePointer<Record>) -> ovl_status {
        guard let context else { return OVL_FAILED }
        Unmanaged<Receiver<Record>>.fromOpaque(context).takeUnretainedValue().body(record.pointee)
        return OVL_OK
    }
}

/// An error of a row as text: status, message, hint, domain and native code.
private func words(_ error: UnsafePointer<ovl_error>?) -> String? {
    error.map { error in
        let record = error.pointee
        let texts = [record.message, record.hint].map { $0.readMessage() ?? "-" }
        return "\(record.status) \(texts[0]) \(texts[1]) \(record.domain) \(record.native_code)"
    }
}

/// Collects file records.
final class FileReceiver {
    private let body: (UInt64, ovl_status, ovl_file_info?) -> Void
    /// The errors of failed rows.
    private(set) var errors: [String] = []

    init(_ body: @escaping (UInt64, ovl_status, ovl_file_info?) -> Void) { self.body = body }

    func sink<Result>(_ call: (UnsafePointer<ovl_file_sink>) -> Result) -> Result {
        var sink = ovl_file_sink.sized()
        sink.ctx = Unmanaged.passUnretained(self).toOpaque()
        sink.put = { context, index, status, info, error in
            guard let context else { return OVL_FAILED }
            let receiver = Unmanaged<FileReceiver>.fromOpaque(context).takeUnretainedValue()
            if let words = words(error) { receiver.errors.append(words) }
            receiver.body(index, status, info?.pointee)
            return OVL_OK
        }
        return withUnsafePointer(to: sink, call)
    }
}

/// Collects chunks, and answers whether more are wanted.
final class BytesReceiver {
    private let body: ([UInt8], UInt64) -> Bool

    init(_ body: @escaping ([UInt8], UInt64) -> Bool) { self.body = body }

    func sink<Result>(_ call: (UnsafePointer<ovl_bytes_sink>) -> Result) -> Result {
        var sink = ovl_bytes_sink.sized()
        sink.ctx = Unmanaged.passUnretained(self).toOpaque()
        sink.put = { context, chunk, offset, _ in
            guard let context else { return OVL_FAILED }
            let receiver = Unmanaged<BytesReceiver>.fromOpaque(context).takeUnretainedValue()
            let bytes = UnsafeBufferPointer(start: chunk.pointee.data, count: Int(chunk.pointee.size))
            return receiver.body(Array(bytes), offset) ? OVL_OK : OVL_STOPPED
        }
        return withUnsafePointer(to: sink, call)
    }
}

/// Collects the results of many reads. Absent bytes are nil.
final class ReadReceiver {
    private let body: (UInt64, ovl_status, [UInt8]?) -> Void
    /// The errors of failed rows.
    private(set) var errors: [String] = []

    init(_ body: @escaping (UInt64, ovl_status, [UInt8]?) -> Void) { self.body = body }

    func sink<Result>(_ call: (UnsafePointer<ovl_read_sink>) -> Result) -> Result {
        var sink = ovl_read_sink.sized()
        sink.ctx = Unmanaged.passUnretained(self).toOpaque()
        sink.put = { context, index, status, bytes, error in
            guard let context else { return OVL_FAILED }
            let receiver = Unmanaged<ReadReceiver>.fromOpaque(context).takeUnretainedValue()
            let copy = bytes.flatMap { bytes in
                bytes.pointee.data.map {
                    Array(UnsafeBufferPointer(start: $0, count: Int(bytes.pointee.size)))
                }
            }
            if let words = words(error) { receiver.errors.append(words) }
            receiver.body(index, status, copy)
            return OVL_OK
        }
        return withUnsafePointer(to: sink, call)
    }
}
