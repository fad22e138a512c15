import DeviceWire
import Glibc

/// Requests on open files.
extension AFCSession {
    /// Opens a regular file. Answers 7 (invalid argument) for an unknown mode, 9 for a folder, and 10 for any other
    /// object that is not a file.
    func open(_ path: String, _ mode: UInt64) throws(AFCFailure) -> UInt64 {
        guard let mode = AFCOpenMode(rawValue: mode) else { throw AFCFailure(.invalidArgument) }
        let place = try locate(path, following: true)
        if let information = try place.statusIfPresent() {
            if information.isFolder { throw AFCFailure(.objectIsDirectory) }
            guard information.isFile else { throw AFCFailure(.permissionDenied) }
        } else if mode.creates, place.isFixed {
            throw AFCFailure(.permissionDenied)
        }
        var flags = mode.canRead ? (mode.canWrite ? O_RDWR : O_RDONLY) : O_WRONLY
        if mode.creates { flags |= O_CREAT }
        if mode.appends { flags |= O_APPEND }
        return try keep { () throws(AFCFailure) in
            let file = OpenFile(owning: try place.open(flags), path: path, mode: mode)
            if mode.truncates { try resize(file, to: 0) }
            return file
        }
    }

    /// The complete DATA packet with the bytes that were read; its payload is empty at the end of the file.
    func read(_ handle: UInt64, _ length: UInt64, limit: Int?, number: UInt64) throws(AFCFailure) -> [UInt8] {
        let file = try openFile(handle)
        guard file.mode.canRead else { throw AFCFailure(.permissionDenied) }
        let size = try file.size()
        let position = try file.position()
        // Limits the buffer to the bytes available, because the client chooses the length.
        let available = Int(clamping: size > position ? size - position : 0)
        let wanted = min(Int(clamping: length), Self.maximumReadLength, limit ?? .max, available)
        return try AFCReply.encodeData(length: wanted, packetNumber: number) {
            (buffer: UnsafeMutableRawBufferPointer) throws(AFCFailure) in try file.read(into: buffer)
        }
    }

    /// Stores a payload piece by piece. If space runs out, stores the beginning and answers 18.
    func write(_ handle: UInt64, _ exchange: AFCExchange, atMost limit: Int = .max) throws {
        let file = try openFile(handle)
        guard file.mode.canWrite else { throw AFCFailure(.permissionDenied) }
        var left = min(limit, exchange.payloadLeft)
        while left > 0 {
            let piece = try receivePayload(min(left, AFCExchange.chunkLength), exchange)
            left -= piece.count
            let size = try file.size()
            let start = file.mode.appends ? size : try file.position()
            let (end, overflow) = start.addingReportingOverflow(UInt64(piece.count))
            guard !overflow, end <= UInt64(Int64.max) else { throw AFCFailure(.invalidArgument) }
            let growth = end > size ? end - size : 0
            let free = device.setting(\.freeBytes)
            let granted = device.fileService.take(growth, of: free)
            // A position past the end also grows the file by the gap. The piece is shortened by the space that is
            // missing.
            let storable = piece.count - min(piece.count, Int(clamping: growth - granted))
            var unused = granted
            defer { device.fileService.giveBack(unused, of: free) }
            try file.write(piece.prefix(storable))
            if storable > 0 { unused -= min(granted, max(start + UInt64(storable), size) - size) }
            if granted < growth { throw AFCFailure(.noSpaceLeft) }
        }
    }

    /// Moves the position of a handle. A position before the beginning of the file is an invalid argument.
    func seek(_ handle: UInt64, _ origin: UInt64, _ offset: Int64) throws(AFCFailure) {
        let file = try openFile(handle)
        guard let origin = AFCSeekOrigin(rawValue: origin) else { throw AFCFailure(.invalidArgument) }
        let whence =
            switch origin {
            case .start: SEEK_SET
            case .current: SEEK_CUR
            case .end: SEEK_END
            }
        try AFCFailure.check { lseek(file.descriptor, off_t(offset), whence) }
    }

    /// Sets the length of an open file, as far as there is free space.
    func resize(_ file: OpenFile, to size: UInt64) throws(AFCFailure) {
        guard file.mode.canWrite else { throw AFCFailure(.permissionDenied) }
        guard let length = off_t(exactly: size) else { throw AFCFailure(.invalidArgument) }
        let former = try file.size()
        let free = settings.freeBytes
        let growth = size > former ? size - former : 0
        let granted = device.fileService.take(growth, of: free)
        do throws(AFCFailure) {
            guard granted == growth else { throw AFCFailure(.noSpaceLeft) }
            try AFCFailure.check { ftruncate(file.descriptor, length) }
        } catch {
            device.fileService.giveBack(granted, of: free)
            throw error
        }
        if former > size { device.fileService.giveBack(former - size, of: free) }
    }

    /// Locks or unlocks a file against other handles. Answers 19 at once if another handle holds the lock.
    func lock(_ handle: UInt64, _ operation: UInt64) throws(AFCFailure) {
        let file = try openFile(handle)
        guard let operation = AFCLockOperation(rawValue: operation) else {
            throw AFCFailure(.invalidArgument)
        }
        try AFCFailure.check { flock(file.descriptor, Int32(operation.rawValue)) }
    }
}
