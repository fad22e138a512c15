/// Two examples for each command, which its help and the manual page show. A test runs them through the parser.
enum CommandExamples {
    /// An example: its description, and the words of the command line as the user types them.
    struct Example: Sendable {
        var meaning: String
        var line: String
    }

    /// By the words of the command, without the program's name.
    static let all: [String: [Example]] = [
        "devices": [
            .init("See what is attached", "devices"),
            .init("Print JSON", "devices --json"),
        ],
        "apps": [
            .init("See which reader apps can be used", "apps"),
            .init("Show the apps of one device", "apps --device 'My iPad'"),
        ],
        "overlays": [
            .init("List the overlays", "overlays"),
            .init("Show one overlay's help", "overlays kindle"),
        ],
        "books": [
            .init(
                "Look for books, the newest first",
                "books --search 'author:austen -emma' --sort -date_added"),
            .init("Export the list for a spreadsheet", "books --csv --fields title,authors,size"),
        ],
        "info": [
            .init("Show a book on the device", "info 'Some Title'"),
            .init("Save the cover of a file", "info book.epub --cover cover.jpg"),
        ],
        "upload": [
            .init("Add books to a collection", "upload --collection New *.epub"),
            .init("See first what a folder would add", "upload --dry-run -r ~/Books"),
        ],
        "sync": [
            .init("Send what is new or changed in a folder", "sync ~/Books"),
            .init(
                "Sync only the fiction of a calibre library", "sync --delete --search tag:fiction ~/Calibre"),
        ],
        "diff": [
            .init("See what sync would do", "diff ~/Books"),
            .init("Print JSON", "diff --json ~/Calibre"),
        ],
        "backup": [
            .init("Copy all books with their highlights", "backup ~/Backup"),
            .init("Verify every file", "backup --verify ~/Backup"),
        ],
        "get": [
            .init("Copy two books into a folder", "get 'Some Title' 'Another' -o ~/Books"),
            .init("Copy all books into a folder", "get --all ~/Books"),
        ],
        "delete": [
            .init("Delete a book, after confirmation", "delete 'Some Title'"),
            .init("Delete without confirmation", "delete --yes 'Some Title'"),
        ],
        "update": [
            .init(
                "Correct a title and the author",
                "update 'Sme Title' --title 'Some Title' --author 'A. Writer'"),
            .init("Apply calibre's metadata", "update 'Some Title' --from-sidecar metadata.opf"),
        ],
        "collections": [
            .init("List the collections", "collections"),
            .init("Move a book", "collections --add Read --remove 'To read' 'Some Title'"),
        ],
        "annotations": [
            .init("Export all highlights and notes", "annotations > highlights.md"),
            .init("Export one book's annotations for a spreadsheet", "annotations --format csv 'Some Title'"),
        ],
        "prefs list": [
            .init("See all preferences and what they mean", "prefs list"),
            .init("Print JSON", "prefs list --json"),
        ],
        "prefs get": [
            .init("Print a value", "prefs get preferred_reader_app"),
            .init("Print JSON", "prefs get upload_batch_size --json"),
        ],
        "prefs set": [
            .init("Choose the app to use without --app", "prefs set preferred_reader_app Kindle"),
            .init("Set a list", "prefs set plugin_directories '[\"~/overlays\"]'"),
        ],
        "prefs unset": [
            .init("Return to the default", "prefs unset preferred_reader_app"),
            .init("See first whether it is set", "prefs unset --dry-run preferred_reader_app"),
        ],
        "prefs path": [
            .init("Print where the preferences are", "prefs path"),
            .init("Print the path as JSON", "prefs path --json"),
        ],
        "watch": [
            .init("See devices come and go", "watch"),
            .init("Run a script for each device", "watch --exec 'send-books $OVERLAYHOST_DEVICE'"),
        ],
        "perform": [
            .init("Send a command of the app", "perform LockBooks 'Some Title'"),
            .init("Save the response", "perform BACKUPMANIFEST -o manifest.txt"),
        ],
        "sniff": [
            .init("Identify the format of files", "sniff *"),
            .init("Explain how the format was identified", "sniff --explain book https://example.org/feed"),
        ],
        "fetch": [
            .init("List what is in a book on the web", "fetch https://example.org/book.epub --list"),
            .init("Save one resource", "fetch book.epub images/cover.jpg -o cover.jpg"),
        ],
        "simulate": [
            .init("Run a simulated iPhone", "simulate"),
            .init("Keep an iPad with Marvin in a folder", "simulate ~/ipad --profile marvin"),
        ],
        "new": [
            .init("Start an overlay in Python", "new shelf --language python"),
            .init(
                "Choose the app by its bundle id", "new shelf --language rust --bundle-id com.example.shelf"),
        ],
        "doctor": [
            .init("Find problems", "doctor"),
            .init("Check one app", "doctor --app Kindle"),
        ],
        "report": [
            .init("See what a report would say", "report"),
            .init("Save the report after review", "report -o report.txt"),
        ],
        "check": [
            .init("Check an overlay", "check build/shelf.so"),
            .init("Check only some rules", "check build/shelf.so --rule 'loading/*'"),
        ],
        "eject": [
            .init("Disconnect before the cable is pulled", "eject"),
            .init("Disconnect from every device", "eject --device all"),
        ],
        "df": [
            .init("See how full the device is", "df"),
            .init("All devices, as JSON", "df --device all --json"),
        ],
        "serve": [
            .init("Serve a program that speaks JSON-RPC", "serve"),
            .init("Set the default device", "serve --device 'My iPad'"),
        ],
        "trace show": [
            .init("Read a recording", "trace show calls.trace"),
            .init("Print it for a timeline viewer", "trace show calls.trace --chrome"),
        ],
        "replay": [
            .init("Run an overlay against a recording", "replay calls.trace build/shelf.so"),
            .init("Ignore what it stores", "replay calls.trace build/shelf.so --ignore storage.put.value"),
        ],
    ]
}

extension CommandExamples.Example {
    fileprivate init(_ meaning: String, _ line: String) {
        (self.meaning, self.line) = (meaning, line)
    }
}
