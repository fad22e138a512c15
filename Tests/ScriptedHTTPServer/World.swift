import Foundation
import HTTPTestSupport

/// The state that all connections share: the log, the options of tests, and held requests.
///
/// Unchecked: the condition's lock protects everything mutable.
final class World: @unchecked Sendable {
    private let condition = NSCondition()
    private var log: [LoggedRequest] = []
    private var overrides: [String: [String: String]] = [:]
    private var released: Set<String> = []
    private var held: Set<String> = []
    private var sent: [String: Int] = [:]
    private var done: Set<String> = []
    private var connections = 0

    func nextConnection() -> Int {
        locked {
            connections += 1
            return connections
        }
    }

    func record(_ request: LoggedRequest) { change { log.append(request) } }

    func options(_ path: String) -> [String: String] { locked { overrides[path] ?? [:] } }

    /// Waits until `key` is released.
    func hold(_ key: String) {
        change { _ = held.insert(key) }
        wait { released.contains(key) }
    }

    /// True for the first call with these words.
    func isFirst(_ words: String) -> Bool { locked { done.insert(words).inserted } }

    func finished(_ path: String, sent count: Int) { change { sent[path] = count } }

    /// The answer to a control request; nil if `target` is not one.
    func control(_ path: String, _ query: [String: String]) -> Data? {
        let subject = query["path"] ?? ""
        switch path {
        case "/_log":
            let found = locked { log.filter { $0.path == subject } }
            do { return try JSONEncoder().encode(found) } catch { return Data("\(error)".utf8) }
        case "/_set":
            change {
                for (name, value) in query where name != "path" {
                    overrides[subject, default: [:]][name] = value
                }
            }
        case "/_release": change { _ = released.insert(query["key"] ?? "") }
        case "/_held": wait { held.contains(query["key"] ?? "") }
        case "/_sent":
            wait { sent[subject] != nil }
            return Data("\(locked { sent[subject] ?? -1 })".utf8)
        default: return nil
        }
        return Data("done".utf8)
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    private func change(_ body: () -> Void) {
        locked {
            body()
            condition.broadcast()
        }
    }

    private func wait(_ isSo: () -> Bool) {
        condition.lock()
        defer { condition.unlock() }
        while !isSo() { condition.wait() }
    }
}
