import OverlayCalls
import Foundation
import JSON
import OverlayABI
import TestSupport
import Testing

@testable import Tracing

@Suite("A recording becomes a timeline")
struct TimelineTests {
    private func document(_ events: [TraceEvent]) -> Data {
        var timeline = TraceChrome()
        let parts = events.flatMap { timeline.events($0) } + timeline.rest()
        return Data("{\"traceEvents\":[\(parts.map { $0.text(.line) }.joined(separator: ","))]}".utf8)
    }

    private func event(
        _ content: TraceEvent.Content, time: UInt64, thread: UInt16, call: UInt32, _ function: FunctionPlan?
    ) -> TraceEvent {
        TraceEvent(
            content: content, time: time, thread: thread, call: call, target: 1, overlay: 0,
            isFromOverlay: false, function: function)
    }

    @Test(
        "The bars of each thread nest, and time advances over all calls of a program, wherever it ended",
        arguments: 0..<20)
    func rules(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var sample = Sample(seed: UInt64(seed))
        let functions = ContractPlans.shared.allFunctions
        let overlay = TraceRecorder.Overlay(
            number: 1, id: "x", name: "X", version: "1.0.0", file: "x.so", isolation: "worker", minor: 3)
        var events = [event(.overlay(overlay), time: 1, thread: 1, call: 0, nil)]
        var open: [[(UInt32, FunctionPlan)]] = [[], [], []]
        for step in 0..<200 {
            let thread = Int(random.next() % 3)
            let time = UInt64(step) * 700 + 5
            if open[thread].isEmpty || random.next() % 2 == 0 {
                let function = functions[Int(random.next() % UInt64(functions.count))]
                open[thread].append((UInt32(step + 1), function))
                let values = random.next() % 9 == 0 ? nil : sample.arguments(function)
                events.append(
                    event(
                        .call(values), time: time, thread: UInt16(thread + 1), call: UInt32(step + 1),
                        function))
            } else {
                // Some calls are left without a return, as by a longjmp.
                if open[thread].count > 1, random.next() % 5 == 0 { open[thread].removeLast() }
                guard let (call, function) = open[thread].popLast() else { continue }
                events.append(
                    event(
                        .answer(.signed(0), []), time: time, thread: UInt16(thread + 1), call: call, function)
                )
            }
        }
        #expect(try TimelineRules.problems(document(events)) == [])
    }

    @Test("A call that others did not return from ends when it returns, and so do those within it")
    func skipped() throws {
        let books = try #require(ContractPlans.shared.allFunctions.first { $0.name == "books" })
        let list = try #require(ContractPlans.shared.allFunctions.first { $0.name == "list" })
        let events = [
            event(.call([]), time: 1000, thread: 1, call: 1, books),
            event(.call([]), time: 2000, thread: 1, call: 2, list),
            event(.answer(.signed(0), []), time: 3000, thread: 1, call: 1, books),
            event(.call([]), time: 9000, thread: 2, call: 3, list),
        ]
        let root = try JSONSerialization.jsonObject(with: document(events)) as? [String: Any]
        let parts = try #require(root?["traceEvents"] as? [[String: Any]])
        let seen = parts.filter { $0["ph"] as? String != "M" }.map { part in
            "\(part["ph"] ?? "") \(part["tid"] ?? "") \(part["ts"] ?? "")"
        }
        #expect(seen == ["B 1 1", "B 1 2", "E 1 3", "E 1 3", "B 2 9", "E 2 9"])
        let threads = parts.filter { $0["name"] as? String == "thread_name" }.compactMap { $0["tid"] as? Int }
        #expect(threads == [1, 2])
    }

    @Test("The process is named after every overlay that took part")
    func names() throws {
        func overlay(_ number: UInt32, _ name: String) -> TraceEvent {
            let overlay = TraceRecorder.Overlay(
                number: number, id: name.lowercased(), name: name, version: "1.0.0", file: "x.so",
                isolation: "worker", minor: 3)
            return event(.overlay(overlay), time: 1, thread: 1, call: 0, nil)
        }
        let text = String(
            decoding: document([overlay(1, "Shelf"), overlay(2, "Lantern"), overlay(3, "Shelf")]),
            as: UTF8.self)
        #expect(text.contains(#""overlays Shelf 1.0.0, Lantern 1.0.0""#), "\(text)")
    }
}
