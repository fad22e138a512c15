import Foundation

// Sends the named books to the reader app on the attached device, and lists its books: ExampleServeClient [FILE...]
let (server, input, output) = (Process(), Pipe(), Pipe())
server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
server.arguments = ["overlayhost", "serve"]
(server.standardInput, server.standardOutput) = (input, output)
try server.run()
dup2(output.fileHandleForReading.fileDescriptor, STDIN_FILENO)  // readLine reads what the server writes.

/// Sends one request and returns its result, passing over the notifications that come before it.
@MainActor func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    let request: [String: Any] = ["jsonrpc": "2.0", "id": method, "method": method, "params": parameters]
    let line = try JSONSerialization.data(withJSONObject: request) + Data("\n".utf8)
    try input.fileHandleForWriting.write(contentsOf: line)
    while let line = readLine() {
        let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard message?["id"] as? String == method else { continue }
        if let result = message?["result"] as? [String: Any] { return result }
        throw CocoaError(.featureUnsupported, userInfo: message?["error"] as? [String: Any] ?? [:])
    }
    throw CocoaError(.fileReadUnknown)
}

_ = try call("initialize", ["protocol_version": 1])
let session = try call("open")["session"] ?? ""
for file in CommandLine.arguments.dropFirst() {
    let upload = try call("upload", ["session": session, "books": [["file": file]]])
    print((upload["results"] as? [[String: Any]])?.first?["status"] ?? "", file)
}
for book in try call("books", ["session": session])["books"] as? [[String: Any]] ?? [] {
    let authors = (book["authors"] as? [String] ?? []).joined(separator: ", ")
    print(book["title"] ?? book["path"] ?? "", "by", authors)
}
_ = try call("shutdown")
