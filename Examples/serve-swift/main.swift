import Foundation

// Sends the named books to the reader app on the attached device, and lists its books: ExampleServeClient [FILE...]
let (server, input, output) = (Process(), Pipe(), Pipe())
(server.executableURL, server.arguments) = (URL(fileURLWithPath: "/usr/bin/env"), ["overlayhost", "serve"])
(server.standardInput, server.standardOutput) = (input, output)
try server.run()
dup2(output.fileHandleForReading.fileDescriptor, STDIN_FILENO)  // readLine reads the server's output.

/// Sends one request and returns its result. Skips the notifications before it.
@MainActor func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    let request: [String: Any] = ["jsonrpc": "2.0", "id": method, "method": method, "params": parameters]
    try input.fileHandleForWriting.write(contentsOf: JSONSerialization.data(withJSONObject: request) + [10])
    while let line = readLine() {
        let message = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        if let result = message?["result"] as? [String: Any] { return result }
        guard let error = message?["error"] as? [String: Any] else { continue }
        print(error["message"] ?? "")
        break
    }
    exit(1)
}

_ = try call("initialize", ["protocol_version": 1])
let session = try call("open")["session"] ?? ""
for file in CommandLine.arguments.dropFirst() {
    let book = ["file": file]
    let sent = try call("upload", ["session": session, "books": [book]])["results"] as? [[String: Any]]
    print(sent?.first?["status"] ?? "", file)
}
for book in try call("books", ["session": session])["books"] as? [[String: Any]] ?? [] {
    print(book["title"] ?? "", "by", (book["authors"] as? [String])?.joined(separator: ", ") ?? "")
}
