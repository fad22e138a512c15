import DeviceWire

extension AFCSession {
    /// Carries a request out. `number` is the packet number of its answer.
    func perform(
        _ request: AFCRequest, _ exchange: AFCExchange, _ answer: AFCAnswer, number: UInt64
    ) throws -> AFCOutcome {
        if let stored = answer.storedBytes { try fillDisk(request, exchange, keeping: stored) }
        switch request {
        case .readDirectory(let path):
            return .reply(.data(AFCDirectoryListing.encode(try names(in: path))))
        case .getFileInfo(let path): return .reply(.data(try information(about: path).encode()))
        case .getDeviceInfo: return .reply(.data(deviceInformation().encode()))
        case .truncate(let path, let size): try truncate(path, to: size)
        case .removePath(let path): try remove(path)
        case .removePathAndContents(let path): try removeTree(path)
        case .makeDirectory(let path): try makeFolder(path)
        case .renamePath(let from, let to): try rename(from, to)
        case .makeLink(let kind, let target, let link): try makeLink(kind, target, link)
        case .setFileModTime(let path, let nanoseconds): try setModified(path, nanoseconds)
        case .fileOpen(let path, let mode): return .reply(.handle(try open(path, mode)))
        case .fileRead(let handle, let length):
            return .packet(try read(handle, length, limit: answer.readLimit, number: number))
        case .fileWrite(let handle, _): try write(handle, exchange)
        case .fileSeek(let handle, let origin, let offset): try seek(handle, origin, offset)
        case .fileTell(let handle): return .reply(.position(try openFile(handle).position()))
        case .fileClose(let handle): try close(handle)
        case .fileSetSize(let handle, let size): try resize(try openFile(handle), to: size)
        case .fileLock(let handle, let operation): try lock(handle, operation)
        }
        return .success
    }

    private func deviceInformation() -> AFCDeviceInfo {
        let settings = self.settings
        let free = device.fileService.freeBytes(of: settings.freeBytes)
        return AFCDeviceInfo(
            model: settings.productType, totalBytes: settings.totalBytes,
            freeBytes: min(free, settings.totalBytes),
            blockSize: 4096)
    }

    /// Stores the beginning of a payload, if there is one, and then has no space left.
    private func fillDisk(_ request: AFCRequest, _ exchange: AFCExchange, keeping count: Int) throws {
        if case .fileWrite(let handle, _) = request {
            try write(handle, exchange, atMost: min(count, exchange.payloadLeft))
        }
        throw AFCFailure(.noSpaceLeft)
    }
}
