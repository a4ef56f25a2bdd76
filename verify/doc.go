// Package verify checks what a draft says about statutes before anything of it
// leaves: every article that it cites must exist, be in force on the day asked
// about, and have been in the evidence the draft was written from.
//
// Checks are deterministic and look things up exactly: nothing "probably exists".
// Gate then takes out the sentences that rest on what did not pass.
package verify
