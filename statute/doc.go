// Package statute is the domain: laws and their versions, articles and the
// other units a text is made of, the seven levels of the legal hierarchy,
// dates and status, ids, Chinese numerals, and the grammar by which texts refer
// to articles.
//
// Everything here is a pure function over values. The package knows nothing of
// files, indexes or models.
//
// The few types:
//
//   - Law is one version of one law: 民法典 as adopted on 2020-05-28.
//   - Unit is a piece of a law that can be cited: an article (条), a preamble,
//     an attachment (附件), a numbered item of a text without articles.
//   - ID names a unit for ever: 民法典@2020-05-28:1077.
//   - Level is the place in the hierarchy, 0 (Constitution) to 6 (other).
//   - Date is a civil day in China's time; Status is what a law is on a day.
package statute
