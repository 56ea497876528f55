// Package text knows the characters that a person sees. Characters that no person sees and every
// program reads can carry instructions into a prompt, or make two names look alike. Three packages
// that may not import each other use it: for printing (readout), for new keys (keypath), and for
// decoding escapes (jsontext). It touches no disk, so a crash leaves nothing of it.
//
// # Ignorable characters
//
// [Ignorable] is Unicode's property Default_Ignorable_Code_Point: a font shows nothing for them.
// Among them are the zero width characters, the soft hyphen, the bidirectional controls, the
// fillers of Hangul, the tags, and all variation selectors, of which a chain can spell any text.
//
// Two kinds are visible, in one place each ([First]):
//
//   - the joiners U+200C and U+200D between two letters, where Persian and the scripts of India
//     need them, and U+200D between two parts of an emoji;
//   - one variation selector U+FE0E or U+FE0F after an emoji, or in a keycap such as 1️⃣.
//
// # Blanks
//
// [Blank] are the ignorable characters, white space and controls, and what only looks like space or
// like nothing anybody agreed on: U+2800, the interlinear marks, private use.
//
// # Sentences
//
// [EndsSentence] judges a full stop, for packages capture and inject. Of prompts, "e.g.", "no. 5",
// "version 2. is" and "am 3. Mai" do not end a sentence there.
package text
