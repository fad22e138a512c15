// Images by their names and signatures. The signatures come from the specifications of the formats.
extension BuiltInSniffer {
    static let avif = BuiltInSniffer("avif", .avif, extensions: ["avif", "avifs"], mediaTypes: [.avif])

    static let bmp = BuiltInSniffer(
        "bmp", .bmp, extensions: ["bmp", "dib"], mediaTypes: [.bmp, MediaType(known: "image/x-bmp")]
    ) { context in
        context.contentBegins(with: [0x42, 0x4D]) ? "content begins with BM" : nil
    }

    static let gif = BuiltInSniffer("gif", .gif, extensions: ["gif"], mediaTypes: [.gif]) { context in
        let isGif =
            context.contentBegins(with: [0x47, 0x49, 0x46, 0x38, 0x37, 0x61])
            || context.contentBegins(with: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61])
        return isGif ? "signature of GIF" : nil
    }

    static let jpeg = BuiltInSniffer(
        "jpeg", .jpeg, extensions: ["jpg", "jpeg", "jpe", "jif", "jfif", "jfi"], mediaTypes: [.jpeg]
    ) { context in
        context.contentBegins(with: [0xFF, 0xD8, 0xFF]) ? "signature of JPEG" : nil
    }

    static let jxl = BuiltInSniffer("jxl", .jxl, extensions: ["jxl"], mediaTypes: [.jxl])

    static let png = BuiltInSniffer("png", .png, extensions: ["png"], mediaTypes: [.png]) { context in
        context.contentBegins(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            ? "signature of PNG" : nil
    }

    static let tiff = BuiltInSniffer(
        "tiff", .tiff, extensions: ["tiff", "tif"], mediaTypes: [.tiff, MediaType(known: "image/tiff-fx")]
    ) { context in
        let isTiff =
            context.contentBegins(with: [0x49, 0x49, 0x2A, 0])
            || context.contentBegins(with: [0x4D, 0x4D, 0, 0x2A])
        return isTiff ? "signature of TIFF" : nil
    }

    static let webp = BuiltInSniffer("webp", .webp, extensions: ["webp"], mediaTypes: [.webp]) { context in
        guard context.contentBegins(with: [0x52, 0x49, 0x46, 0x46]), let head = context.read(8..<12) else {
            return nil
        }
        return head.elementsEqual("WEBP".utf8) ? "signature of WebP" : nil
    }
}

// Audio by names only.
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
