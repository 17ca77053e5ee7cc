// Unpacking of the page's data (RFC 1950 and 1951). Browsers can do it, too, but only while the page is
// already counted as loaded: it would be printed before it is drawn.

/** @typedef {{ counts: Uint16Array, symbols: Uint16Array }} PrefixCode */

const LONGEST_CODE = 15;
const END_OF_BLOCK = 256;
const ORDER_OF_LENGTHS = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const COPY_LENGTHS = [...spansFrom(3, 28, 4), { base: 258, bits: 0 }];
const COPY_DISTANCES = spansFrom(1, 30, 2);

/**
 * Numbers that are told by the place of their span and some more bits; from one group of spans to the
 * next there is one bit more.
 * @param {number} first
 * @param {number} count
 * @param {number} group
 */
function spansFrom(first, count, group) {
  let base = first;
  return Array.from({ length: count }, (_, place) => {
    const span = { base, bits: Math.max(0, Math.floor(place / group) - 1) };
    base += 2 ** span.bits;
    return span;
  });
}

/**
 * The code in which each symbol has so many bits, 0 if it does not occur.
 * @param {ArrayLike<number>} lengths
 * @returns {PrefixCode}
 */
function prefixCode(lengths) {
  const counts = new Uint16Array(LONGEST_CODE + 1);
  const symbols = Array.from(lengths, (_, symbol) => symbol).filter((symbol) => lengths[symbol] > 0);
  symbols.sort((a, b) => lengths[a] - lengths[b] || a - b);
  for (const symbol of symbols) counts[lengths[symbol]]++;
  return { counts, symbols: Uint16Array.from(symbols) };
}

const FIXED_LENGTHS = Array.from({ length: 288 }, (_, k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8));
const FIXED_CODES = [prefixCode(FIXED_LENGTHS), prefixCode(new Array(30).fill(5))];

/**
 * The bits of some bytes, the lowest of each byte first.
 * @param {Uint8Array} bytes
 * @param {number} start
 */
function bitReader(bytes, start) {
  let place = start;
  let held = 0;
  let nHeld = 0;

  /** @param {number} count at most 16 */
  function take(count) {
    while (nHeld < count) {
      if (place >= bytes.length) throw new Error("the data of this page are cut off");
      held |= bytes[place++] << nHeld;
      nHeld += 8;
    }
    const value = held & ((1 << count) - 1);
    held >>>= count;
    nHeld -= count;
    return value;
  }

  /** @param {PrefixCode} code */
  function symbol({ counts, symbols }) {
    let [bits, first, before] = [0, 0, 0];
    for (let length = 1; length <= LONGEST_CODE; length++) {
      bits |= take(1);
      if (bits - first < counts[length]) return symbols[before + bits - first];
      before += counts[length];
      first = (first + counts[length]) << 1;
      bits <<= 1;
    }
    throw new Error("the data of this page are damaged");
  }

  return { take, symbol, skipToByte: () => take(nHeld % 8) };
}

/** @typedef {ReturnType<typeof bitReader>} BitReader */

/**
 * What zlib has packed.
 * @param {Uint8Array} packed
 * @returns {Uint8Array}
 */
export function inflate(packed) {
  const reader = bitReader(packed, 2);
  /** @type {number[]} */
  const found = [];
  for (let isLast = false; !isLast; ) {
    isLast = reader.take(1) === 1;
    const kind = reader.take(2);
    if (kind === 0) {
      reader.skipToByte();
      const length = reader.take(16);
      reader.take(16);
      for (let k = 0; k < length; k++) found.push(reader.take(8));
    } else {
      const [literals, distances] = kind === 1 ? FIXED_CODES : readCodes(reader);
      readBlock(reader, literals, distances, found);
    }
  }
  return Uint8Array.from(found);
}

/**
 * The codes of a block that brings its own.
 * @param {BitReader} reader
 */
function readCodes(reader) {
  const nLiterals = reader.take(5) + 257;
  const nDistances = reader.take(5) + 1;
  const nLengths = reader.take(4) + 4;
  const ofLengths = new Uint8Array(ORDER_OF_LENGTHS.length);
  for (let k = 0; k < nLengths; k++) ofLengths[ORDER_OF_LENGTHS[k]] = reader.take(3);
  const code = prefixCode(ofLengths);
  /** @type {number[]} */
  const lengths = [];
  while (lengths.length < nLiterals + nDistances) {
    const symbol = reader.symbol(code);
    if (symbol < 16) lengths.push(symbol);
    else {
      const repeated = symbol === 16 ? lengths[lengths.length - 1] : 0;
      const times = symbol === 16 ? 3 + reader.take(2) : symbol === 17 ? 3 + reader.take(3) : 11 + reader.take(7);
      for (let k = 0; k < times; k++) lengths.push(repeated);
    }
  }
  return [prefixCode(lengths.slice(0, nLiterals)), prefixCode(lengths.slice(nLiterals))];
}

/**
 * Bytes, and copies of what came before.
 * @param {BitReader} reader
 * @param {PrefixCode} literals
 * @param {PrefixCode} distances
 * @param {number[]} found
 */
function readBlock(reader, literals, distances, found) {
  for (;;) {
    const symbol = reader.symbol(literals);
    if (symbol === END_OF_BLOCK) return;
    if (symbol < END_OF_BLOCK) {
      found.push(symbol);
      continue;
    }
    const length = readSpan(COPY_LENGTHS[symbol - END_OF_BLOCK - 1], reader);
    const from = found.length - readSpan(COPY_DISTANCES[reader.symbol(distances)], reader);
    for (let k = 0; k < length; k++) found.push(found[from + k]);
  }
}

/**
 * @param {{ base: number, bits: number }} span
 * @param {BitReader} reader
 */
function readSpan(span, reader) {
  return span.base + reader.take(span.bits);
}
