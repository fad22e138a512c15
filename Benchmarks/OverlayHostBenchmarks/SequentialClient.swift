import CLibimobiledevice
import Foundation

/// A plain libimobiledevice client, one request at a time on one connection, like a simple driver.
///
/// It is the baseline, so it uses the library's own AFC functions and connection set-up.
final class SequentialClient {
    struct Failure: Error, CustomStringConvertible {
        var step: String
        var code: Int32
        var description: String { "\(step) failed with code \(code)" }
    }

    private let device: idevice_t
    private let houseArrest: house_arrest_client_t
    private let afc: afc_client_t

    /// Opens the container of `app` on the device `udid`, or its shared folder with `VendDocuments`.
    init(udid: String, app: String, vend: String = "VendContainer") throws {
        var device: idevice_t?
        try Self.check("idevice_new", idevice_new(&device, udid).rawValue)
        guard let device else { throw Failure(step: "idevice_new", code: 0) }
        self.device = device
        var houseArrest: house_arrest_client_t?
        try Self.check(
            "house_arrest", house_arrest_client_start_service(device, &houseArrest, "bench").rawValue)
        guard let houseArrest else { throw Failure(step: "house_arrest", code: 0) }
        self.houseArrest = houseArrest
        try Self.check(vend, house_arrest_send_command(houseArrest, vend, app).rawValue)
        var answer: plist_t?
        try Self.check(vend, house_arrest_get_result(houseArrest, &answer).rawValue)
        let refused = plist_dict_get_item(answer, "Error") != nil
        plist_free(answer)
        guard !refused else { throw Failure(step: vend, code: -1) }
        var afc: afc_client_t?
        try Self.check("afc", afc_client_new_from_house_arrest_client(houseArrest, &afc).rawValue)
        guard let afc else { throw Failure(step: "afc", code: 0) }
        self.afc = afc
    }

    deinit {
        afc_client_free(afc)
        house_arrest_client_free(houseArrest)
        idevice_free(device)
    }

    /// Whether the path exists; one request.
    @discardableResult
    func stat(_ path: String) -> Bool {
        var info: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        guard afc_get_file_info(afc, path, &info) == AFC_E_SUCCESS else { return false }
        afc_dictionary_free(info)
        return true
    }

    /// Opens, stats, reads in `chunk` bytes until the end, and closes, like the original driver.
    func read(_ path: String, chunk: Int = 65_536) throws -> [UInt8] {
        var handle: UInt64 = 0
        try Self.check("open \(path)", afc_file_open(afc, path, AFC_FOPEN_RDONLY, &handle).rawValue)
        defer { afc_file_close(afc, handle) }
        var info: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        try Self.check("stat \(path)", afc_get_file_info(afc, path, &info).rawValue)
        var size = 0
        var index = 0
        while let info, let key = info[index], let value = info[index + 1] {
            if String(cString: key) == "st_size" { size = Int(String(cString: value)) ?? 0 }
            index += 2
        }
        afc_dictionary_free(info)
        var bytes = [UInt8](repeating: 0, count: size)
        var done = 0
        while done < size {
            var count: UInt32 = 0
            let status = bytes.withUnsafeMutableBytes { buffer in
                afc_file_read(
                    afc, handle, buffer.baseAddress!.advanced(by: done).assumingMemoryBound(to: CChar.self),
                    UInt32(min(chunk, size - done)), &count)
            }
            try Self.check("read \(path)", status.rawValue)
            if count == 0 { break }
            done += Int(count)
        }
        return bytes
    }

    /// The names in a folder, without `.` and `..`; one request.
    func names(in folder: String) throws -> [String] {
        var list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        try Self.check("list \(folder)", afc_read_directory(afc, folder, &list).rawValue)
        var names: [String] = []
        var index = 0
        while let list, let entry = list[index] {
            let name = String(cString: entry)
            if name != ".", name != ".." { names.append(name) }
            index += 1
        }
        afc_dictionary_free(list)
        return names
    }

    /// Opens, writes in `chunk` bytes, and closes, like the original driver.
    func write(_ bytes: [UInt8], to path: String, chunk: Int) throws {
        var handle: UInt64 = 0
        try Self.check("open \(path)", afc_file_open(afc, path, AFC_FOPEN_WRONLY, &handle).rawValue)
        try write(bytes, handle, path, chunk)
        try Self.check("close \(path)", afc_file_close(afc, handle).rawValue)
    }

    private func write(_ bytes: [UInt8], _ handle: UInt64, _ path: String, _ chunk: Int) throws {
        var done = 0
        while done < bytes.count {
            var written: UInt32 = 0
            let length = min(chunk, bytes.count - done)
            let status = bytes.withUnsafeBytes { buffer in
                afc_file_write(
                    afc, handle, buffer.baseAddress!.advanced(by: done).assumingMemoryBound(to: CChar.self),
                    UInt32(length), &written)
            }
            try Self.check("write \(path)", status.rawValue)
            done += length
        }
    }

    /// Temporary name, write, close, check the size, rename: as careful as our upload, but one step at a time.
    func writeCarefully(_ bytes: [UInt8], to path: String, chunk: Int = 262_144) throws {
        let temporary = path + ".part"
        var handle: UInt64 = 0
        try Self.check("open \(temporary)", afc_file_open(afc, temporary, AFC_FOPEN_WRONLY, &handle).rawValue)
        try write(bytes, handle, temporary, chunk)
        try Self.check("close \(temporary)", afc_file_close(afc, handle).rawValue)
        guard stat(temporary) else { throw Failure(step: "stat \(temporary)", code: 8) }
        try Self.check("rename \(path)", afc_rename_path(afc, temporary, path).rawValue)
    }

    func rename(_ path: String, to newPath: String) throws {
        try Self.check("rename \(path)", afc_rename_path(afc, path, newPath).rawValue)
    }

    func remove(_ path: String) throws {
        try Self.check("remove \(path)", afc_remove_path(afc, path).rawValue)
    }

    func makeFolder(_ path: String) throws {
        try Self.check("mkdir \(path)", afc_make_directory(afc, path).rawValue)
    }

    private static func check(_ step: String, _ code: Int32) throws {
        guard code == 0 else { throw Failure(step: step, code: code) }
    }
}
