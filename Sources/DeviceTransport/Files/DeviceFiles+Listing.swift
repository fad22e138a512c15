import DeviceWire
import Synchronization

extension DeviceFiles {
    /// The names in a folder, without `.` and `..`, in the order of the device. One request.
    ///
    /// Names that cannot be used in a request (not UTF-8, or containing a slash) are left out.
    public func list(_ folder: String, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> [String]
    {
        try listMany([folder], context)[0].get()
    }

    /// The names in many folders, in the requested order.
    ///
    /// - Parameter most: the largest total size of the answers in bytes, not counting the first folder. Folders
    ///   beyond it fail with `tooLarge`.
    public func listMany(
        _ folders: [String], keeping most: Int = .max, _ context: OperationContext = OperationContext()
    ) -> [TransferResult<[String]>] {
        var left = most
        var first: String?
        return requests(folders, context) { folder throws(TransportError) in
            let path = try DevicePath(folder).text
            first = first ?? path
            return Request(
                .readDirectory(path: path), path, expecting: RequestJob.maximumListing)
        } parse: { answer, path throws(TransportError) in
            // Devices answer READ_ERROR if the path is not a folder.
            if case .status(.readError) = answer {
                throw TransportError(
                    .notFolder, "This is not a folder, or it cannot be read.", subject: path,
                    native: NativeCode(.afc, 4, AFCStatus.readError.name))
            }
            let data = try answer.data(path)
            if path != first {
                guard data.count <= left else {
                    throw TransportError(
                        .tooLarge, "The folder has too many names to keep in memory.",
                        subject: path)
                }
                left -= data.count
            }
            return AFCDirectoryListing(decoding: [UInt8](data)).names
        }
    }

    /// The entries of a folder with their status. Sends one request, and one per entry in parallel. Entries that are
    /// removed in the meantime are left out.
    public func entries(_ folder: String, _ context: OperationContext = OperationContext())
        throws(TransportError) -> [FolderEntry]
    {
        let names = try list(folder, context)
        let parent = folder.hasSuffix("/") ? folder : folder + "/"
        var entries: [FolderEntry] = []
        for (name, result) in zip(names, statMany(names.map { parent + $0 }, context)) {
            do throws(TransportError) {
                entries.append(FolderEntry(name: name, status: try result.get()))
            } catch {
                if error.code != .notFound { throw error }
            }
        }
        return entries
    }

    /// The status of a file or folder. Throws `.notFound` if it does not exist. One request.
    public func stat(_ path: String, _ context: OperationContext = OperationContext()) throws(TransportError)
        -> FileStatus
    {
        try statMany([path], context)[0].get()
    }

    /// Whether a file or folder exists at the path. One request.
    public func exists(_ path: String, _ context: OperationContext = OperationContext())
        throws(TransportError)
        -> Bool
    {
        do throws(TransportError) {
            _ = try stat(path, context)
            return true
        } catch {
            if error.code == .notFound { return false }
            throw error
        }
    }

    /// The status of many files or folders, in the requested order.
    public func statMany(_ paths: [String], _ context: OperationContext = OperationContext())
        -> [TransferResult<FileStatus>]
    {
        requests(paths, context) { path throws(TransportError) in
            let path = try DevicePath(path).text
            return Request(
                .getFileInfo(path: path), path, expecting: RequestJob.maximumListing)
        } parse: { answer, path throws(TransportError) in
            try FileStatus(answer, path)
        }
    }

    /// The storage space of the device. One request; if the device does not report its space to it, lockdownd is
    /// asked as well.
    public func space(_ context: OperationContext = OperationContext()) throws(TransportError) -> StorageSpace
    {
        do throws(TransportError) {
            guard !isSilentAboutSpace.load(ordering: .relaxed) else { throw .silence }
            return try volumeSpace(context)
        } catch {
            guard ![.cancelled, .deviceGone].contains(error.code) else { throw error }
            try context.check()
            // Do not wait for an answer again.
            if error.code == .timedOut { isSilentAboutSpace.store(true, ordering: .relaxed) }
            let usage: [String: DeviceValue]
            do throws(TransportError) {
                usage = try session.values(domain: "com.apple.disk_usage", context)
            } catch let second {
                throw [.cancelled, .deviceGone].contains(second.code) ? second : error
            }
            guard let space = StorageSpace(diskUsage: usage) else { throw error }
            return space
        }
    }

    /// The storage space, as the file service reports it.
    private func volumeSpace(_ context: OperationContext) throws(TransportError) -> StorageSpace {
        try request(
            .getDeviceInfo, about: root.description, expecting: 64 << 10, context
        ) { [root] answer throws(TransportError) in
            let bytes = [UInt8](try answer.data(root.description))
            do throws(WireError) {
                let info = try AFCDeviceInfo(decoding: bytes)
                return StorageSpace(
                    total: info.totalBytes, free: info.freeBytes,
                    blockSize: info.blockSize == 0 ? nil : info.blockSize)
            } catch {
                throw TransportError.violation(error.message)
            }
        }
    }
}

extension StorageSpace {
    /// The space according to lockdownd's domain `com.apple.disk_usage`; nil if the total or free space is missing.
    /// Of two numbers for the free space, the smaller one counts.
    init?(diskUsage values: [String: DeviceValue]) {
        let free = ["AmountDataAvailable", "TotalDataAvailable"].compactMap { values[$0]?.integer }.min()
        let total = (values["TotalDataCapacity"] ?? values["TotalDiskCapacity"])?.integer
        guard let free, let total else { return nil }
        self.init(total: total, free: min(free, total), blockSize: nil)
    }
}
