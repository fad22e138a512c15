// Audio by names alone.
extension BuiltInSniffer {
    static let aac = BuiltInSniffer("aac", .aac, extensions: ["aac"], mediaTypes: [.aac])

    static let aiff = BuiltInSniffer(
        "aiff", .aiff, extensions: ["aiff", "aif", "aifc"],
        mediaTypes: [.aiff, MediaType(known: "audio/x-aiff")])

    static let flac = BuiltInSniffer("flac", .flac, extensions: ["flac"], mediaTypes: [.flac])

    static let mp3 = BuiltInSniffer("mp3", .mp3, extensions: ["mp3"], mediaTypes: [.mp3])

    static let mp4 = BuiltInSniffer(
        "mp4", .mp4, extensions: ["mp4", "m4a", "m4b", "m4p", "m4r", "alac"], mediaTypes: [.mp4])

    static let ogg = BuiltInSniffer("ogg", .ogg, extensions: ["ogg", "oga", "mogg"], mediaTypes: [.ogg])

    static let opus = BuiltInSniffer("opus", .opus, extensions: ["opus"], mediaTypes: [.opus])

    static let wav = BuiltInSniffer(
        "wav", .wav, extensions: ["wav", "wave"],
        mediaTypes: [.wav, MediaType(known: "audio/x-wav"), MediaType(known: "audio/wave")])

    static let webmAudio = BuiltInSniffer(
        "webmAudio", .webmAudio, extensions: ["webm"], mediaTypes: [.webmAudio])
}
