import Glibc

/// Observes changes in folders (inotify) without blocking. Any thread.
package final class FolderEvents: Sendable {
    /// A change.
    package struct Event: Sendable {
        /// The number of the watch that reported it.
        package let watch: Int32
        /// The kinds of change, such as `IN_MOVED_TO`.
        package let kinds: UInt32
        /// The name of the file in the folder; empty if the folder itself changed.
        package let name: String
    }

    /// Readable for `poll` when an event is waiting.
    package let descriptor: Int32

    /// Creates a watch without folders; nil, with errno, if the system has no descriptor left.
    package init?() {
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Watches a folder for events of some kinds; returns the number of the watch, or nil, with errno.
    package func watch(_ folder: String, for kinds: UInt32) -> Int32? {
        let watch = inotify_add_watch(descriptor, folder, kinds)
        return watch < 0 ? nil : watch
    }

    /// Returns all events since the last call.
    package func take() -> [Event] {
        var events: [Event] = []
        // An event takes 16 bytes and a name of at most 256.
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                Self.parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &events)
            }
        }
        return events
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer, into events: inout [Event]) {
        let head = MemoryLayout<inotify_event>.size
        var start = 0
        while start + head <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
            let name = bytes.dropFirst(start + head).prefix(Int(event.len)).prefix { $0 != 0 }
            events.append(
                Event(watch: event.wd, kinds: event.mask, name: String(decoding: name, as: UTF8.self)))
            start += head + Int(event.len)
        }
    }
}
