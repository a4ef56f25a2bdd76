package statute

import (
	"encoding/json"
	"fmt"
	"time"
)

// Date is a civil day in China's time (UTC+8 all year, so no time zone database
// is needed), stored as yyyymmdd so that days compare as numbers. The zero Date
// means "not known".
type Date int32

// china is the one time zone of Chinese law.
var china = time.FixedZone("UTC+8", 8*60*60)

// DateOf returns the day that t falls on in China.
func DateOf(t time.Time) Date {
	y, m, d := t.In(china).Date()
	return Date(y*10000 + int(m)*100 + d)
}

// NewDate returns the day y-m-d, or an error when the calendar has no such day.
func NewDate(y, m, d int) (Date, error) {
	t := time.Date(y, time.Month(m), d, 12, 0, 0, 0, china)
	if y < 1 || y > 9999 || t.Year() != y || int(t.Month()) != m || t.Day() != d {
		return 0, fmt.Errorf("no such day: %d-%02d-%02d", y, m, d)
	}
	return Date(y*10000 + m*100 + d), nil
}

// ParseDate reads "2006-01-02". The empty string is the zero Date.
func ParseDate(s string) (Date, error) {
	if s == "" {
		return 0, nil
	}
	t, err := time.Parse("2006-01-02", s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a date of the form 2006-01-02", s)
	}
	return NewDate(t.Year(), int(t.Month()), t.Day())
}

// IsZero reports whether the day is not known.
func (d Date) IsZero() bool { return d == 0 }

// String returns "2006-01-02", or "" for the zero Date.
func (d Date) String() string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf("%04d-%02d-%02d", d/10000, d/100%100, d%100)
}

// MarshalJSON writes the day as a string, and null when it is not known.
func (d Date) MarshalJSON() ([]byte, error) {
	if d == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(d.String())
}

// UnmarshalJSON reads what MarshalJSON writes; an empty string is no date.
func (d *Date) UnmarshalJSON(b []byte) error {
	var s *string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a date must be a string like \"2006-01-02\": %w", err)
	}
	if s == nil {
		*d = 0
		return nil
	}
	v, err := ParseDate(*s)
	if err != nil {
		return err
	}
	*d = v
	return nil
}
