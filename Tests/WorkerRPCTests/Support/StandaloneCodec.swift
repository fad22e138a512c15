@testable import OverlayCalls
@testable import WorkerRPC

/// Numbers everything and makes everything usable, without another side.
final class StandaloneCodec: ArgumentExporter, ArgumentImporter {
    func export(table: UnsafeRawPointer, _ plan: RecordPlan) -> UInt64 { 99 }
    func export(sink: UnsafePointer<UInt8>, _ plan: RecordPlan) -> UInt64 { 7 | MessageHeader.sink }
    func number(ofInstance pointer: UInt) -> UInt64 { 5 }
    func context(ofTable number: UInt64, _ plan: RecordPlan) -> UInt { 8 }
    func found(table number: UInt64, _ plan: RecordPlan) {}
    func context(ofSink number: UInt64, _ plan: RecordPlan) -> UInt { 16 }
    func instance(_ number: UInt64) -> UInt? { number == 5 ? 0x40 : nil }
    func keep(_ message: ReceivedMessage) {}
}
