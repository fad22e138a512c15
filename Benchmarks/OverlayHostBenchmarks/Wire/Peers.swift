import Foundation

/// An app's files to be listed, read and written one by one by a client that knows files but not books.
struct FileErrand: Encodable {
    /// Folders to list.
    var lists: [String] = []
    /// Paths to ask for size and time.
    var statuses: [String] = []
    /// Paths to read whole.
    var reads: [String] = []
    /// Local files, by the paths that they get.
    var writes: [String: String] = [:]
}

/// The programs that do the same work on the same device.
struct Peers {
    let device: BareDevice
    let errand: FileErrand
    /// A local folder for fetched files and for the mount point.
    let folder: String

    /// A loop with libimobiledevice's own functions, in pieces of 256 KiB, starting with finding the device; seconds.
    func libimobiledevice() throws -> Double {
        try Stopwatch.seconds {
            let client = try SequentialClient(udid: device.udid, app: device.app, vend: device.vend)
            for path in errand.lists { _ = try client.names(in: path) }
            for path in errand.statuses { client.stat(path) }
            for path in errand.reads { _ = try client.read(path, chunk: 262_144) }
            for (path, file) in errand.writes {
                try client.writeCarefully(Array(Data(contentsOf: URL(fileURLWithPath: file))), to: path)
            }
        }
    }

    /// The same in Python with pymobiledevice3, without the second that Python needs to load it; nil if it is not
    /// installed.
    func pymobiledevice3() throws -> Double? {
        guard let program = ProgramRun.installed("pymobiledevice3") else { return nil }
        let python = URL(fileURLWithPath: program).deletingLastPathComponent().path + "/python"
        let (question, answer) = (folder + "/errand.json", folder + "/seconds")
        try JSONEncoder().encode(errand).write(to: URL(fileURLWithPath: question))
        let address = ProcessInfo.processInfo.environment["USBMUXD_SOCKET_ADDRESS"] ?? ""
        _ = try ProgramRun.of(
            [python, "-c", Self.script, question, device.udid, device.app, device.vend],
            ["USBMUXD_SOCKET_ADDRESS": String(address.dropFirst("UNIX:".count))], output: answer)
        return Double(try String(contentsOfFile: answer, encoding: .utf8).filter { $0 != "\n" })
    }

    /// Runs `ls`, `cp` and `cat` over ifuse, starting with its mount and without safety; nil if it is not installed
    /// or cannot mount.
    ///
    /// ifuse writes in pieces of 4 kB, so it gets a tenth of the files to write, and ten times the seconds are
    /// returned.
    func ifuse() throws -> Double? {
        guard let mount = IfuseMount(device, at: folder + "/mount") else { return nil }
        let seconds = try mount.seconds {
            try overMount { path in mount.folder + path.dropFirst(mount.root.count) }
        }
        return seconds * (errand.writes.isEmpty ? 1 : 10)
    }

    private func overMount(_ place: (String) -> String) throws {
        for path in errand.lists { _ = try ProgramRun.of(["/bin/ls", "-l", place(path)]) }
        if !errand.reads.isEmpty { _ = try ProgramRun.of(["/bin/cat"] + errand.reads.map(place)) }
        if let path = errand.writes.keys.first {
            let target = URL(fileURLWithPath: place(path)).deletingLastPathComponent().path
            _ = try ProgramRun.of(
                ["/bin/cp"] + errand.writes.values.sorted().prefix(errand.writes.count / 10) + [target])
        }
    }

    private static let script = """
        import asyncio, json, sys, time
        from pymobiledevice3.lockdown import create_using_usbmux
        from pymobiledevice3.services.house_arrest import HouseArrestService
        async def main(question, udid, app, vend):
            errand = json.load(open(question))
            start = time.monotonic()
            lockdown = await create_using_usbmux(serial=udid, autopair=False)
            async with await HouseArrestService.create(lockdown, app, vend == 'VendDocuments') as files:
                for path in errand['lists']: await files.listdir(path)
                for path in errand['statuses']: await files.stat(path)
                for path in errand['reads']: await files.get_file_contents(path)
                for path, file in errand['writes'].items():
                    await files.set_file_contents(path + '.part', open(file, 'rb').read())
                    await files.stat(path + '.part')
                    await files.rename(path + '.part', path)
            print(time.monotonic() - start)
        asyncio.run(main(*sys.argv[1:]))
        """
}
