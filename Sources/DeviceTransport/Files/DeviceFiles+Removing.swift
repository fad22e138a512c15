import DeviceWire

extension DeviceFiles {
    /// Removes a file, or a folder. A folder that has entries is `.folderNotEmpty` unless `recursive`.
    public func remove(
        _ path: String, recursive: Bool = false, _ context: OperationContext = OperationContext()
    ) throws(TransportError) {
        try removeMany([path], recursive: recursive, context)[0].get()
    }

    /// Removes many, as `remove` does; results in the order asked. One request each, overlapping.
    public func removeMany(
        _ paths: [String], recursive: Bool = false, _ context: OperationContext = OperationContext()
    ) -> [ItemResult<Void>] {
        var results: [ItemResult<Void>] = requests(paths, context) { path throws(TransportError) in
            let path = try DevicePath(path)
            guard !path.isRoot else {
                throw TransportError(.invalidArgument, "the root itself cannot be removed", subject: "/")
            }
            return Request(
                recursive ? .removePathAndContents(path: path.text) : .removePath(path: path.text), path.text,
                removes: true)
        } parse: { answer, path throws(TransportError) in
            // The device has no better word for a folder that is not empty.
            if !recursive, case .status(.unknownError) = answer {
                throw TransportError(
                    .folderNotEmpty, "the folder is not empty", subject: path,
                    hint: "Remove its contents first, or remove it with its contents.",
                    native: NativeError(.afc, 1, AFCStatus.unknownError.name))
            }
            if let error = answer.failure(path) { throw error }
        }
        guard recursive else { return results }
        // Before iOS 6 the tree has to be taken down by hand.
        for index in paths.indices {
            guard case .failure(let error) = results[index], error.code == .notSupported else { continue }
            results[index] = Result { () throws(TransportError) in
                try removeTree(try DevicePath(paths[index]).text, depth: 0, context)
            }
        }
        return results
    }

    /// Removes a tree from its leaves up, a level at a time.
    private func removeTree(_ path: String, depth: Int, _ context: OperationContext) throws(TransportError) {
        guard depth < 64 else {
            throw TransportError(.tooLarge, "the folders are nested too deeply", subject: path)
        }
        if try stat(path, context).kind == .folder {
            let entries = try entries(path, context)
            for entry in entries where entry.status.kind == .folder {
                try removeTree(path + "/" + entry.name, depth: depth + 1, context)
            }
            let files = entries.filter { $0.status.kind != .folder }.map { path + "/" + $0.name }
            for result in removeMany(files, context) { try result.get() }
        }
        try remove(path, context)
    }
}
