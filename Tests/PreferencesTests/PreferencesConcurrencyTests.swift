import Foundation
import JSON
import Synchronization
import Testing
import TestSupport

@testable import Preferences

@Suite("Two writers of the preferences lose nothing, and readers see whole files")
struct PreferencesConcurrencyTests {
    /// One key per writer and step.
    static func schema(writers: Int, steps: Int) -> PreferenceSchema {
        PreferenceSchema(
            (0..<writers).flatMap { writer in
                (0..<steps).map { Preference("w\(writer)_\($0)", .integer, "Test.") }
            })
    }

    static func fill(_ file: String, writer: Int, writers: Int, steps: Int) throws {
        let preferences = Preferences(file: file, schema: schema(writers: writers, steps: steps))
        for step in 0..<steps { try preferences.set("w\(writer)_\(step)", to: "\(step)") }
    }

    @Test("Many threads write without loss while a reader reads")
    func threads() throws {
        let folder = try TemporaryFolder()
        let file = folder.path("prefs.json")
        let failures = Mutex<[String]>([])
        let done = Atomic(false)
        let reader = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !done.load(ordering: .relaxed) {
                do { _ = try Preferences(file: file).read() } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            reader.signal()
        }
        let group = DispatchGroup()
        for writer in 0..<6 {
            group.enter()
            Thread.detachNewThread {
                do {
                    try Self.fill(file, writer: writer, writers: 6, steps: 10)
                } catch { failures.withLock { $0.append("\(error)") } }
                group.leave()
            }
        }
        group.wait()
        done.store(true, ordering: .relaxed)
        reader.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try Preferences(file: file).read().stored.members.count == 60)
    }

    @Test("Many processes write one file without loss")
    func processes() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path("prefs.json")
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<5 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [file = file as String, writer = writer as Int] in
                        try PreferencesConcurrencyTests.fill(file, writer: writer, writers: 5, steps: 12)
                    }
                }
            }
        }
        #expect(try Preferences(file: file).read().stored.members.count == 60)
    }
}
