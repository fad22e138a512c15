import Platform

/// A time as ZIP records have it: years from 1980 to 2107, in steps of two seconds, here always UTC.
struct ZipTime: Equatable {
    /// Hours, minutes, and seconds halved.
    let time: UInt16
    /// Years since 1980, months and days.
    let date: UInt16

    /// The first day there is, which stands for no known time.
    static let unknown = ZipTime(time: 0, date: 1 << 5 | 1)

    private init(time: UInt16, date: UInt16) {
        self.time = time
        self.date = date
    }

    /// The time so many seconds after 1970-01-01 00:00 UTC; `unknown` outside the years that ZIP knows.
    init(seconds: Int64) {
        guard (315_532_800..<4_354_819_200).contains(seconds) else {
            self = .unknown
            return
        }
        let civil = CivilTime(secondsSince1970: seconds)
        date = UInt16(civil.date.year - 1980) << 9 | UInt16(civil.date.month) << 5 | UInt16(civil.date.day)
        time = UInt16(civil.hour) << 11 | UInt16(civil.minute) << 5 | UInt16(civil.second / 2)
    }
}
