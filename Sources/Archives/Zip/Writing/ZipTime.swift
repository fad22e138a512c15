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
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        var year: Int64 = 1970
        var day = days
        while day >= Self.days(in: year) {
            day -= Self.days(in: year)
            year += 1
        }
        let isLeap = Self.days(in: year) == 366
        var month = 0
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while day >= lengths[month] {
            day -= lengths[month]
            month += 1
        }
        date = UInt16(year - 1980) << 9 | UInt16(month + 1) << 5 | UInt16(day + 1)
        time = UInt16(rest / 3600) << 11 | UInt16(rest / 60 % 60) << 5 | UInt16(rest % 60 / 2)
    }

    private static func days(in year: Int64) -> Int64 {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }
}
