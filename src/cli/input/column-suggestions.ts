import { shown } from '../../engine/ingest/shown.ts'

/**
 * What files usually call the fields of the wire, in English, German, Dutch, French, Spanish and Italian: in lower case without blanks and
 * punctuation, the likeliest first.
 */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  User_id: `customerid userid customernumber customerno kundennummer kundennr kdnr memberid klantnummer klantnr numéroclient numeroclient
    númerocliente numerocliente códigocliente codigocliente codcliente codicecliente id email`,
  Name: `fullname customername displayname kunde kundenname nachname lastname naam klantnaam volledigenaam klant nom nomcomplet nombre
    nombrecompleto nome nomecompleto`,
  Email: `emailaddress mail useremail billingemail emailadres courriel correo correoelectrónico`,
  Phone: `telephone phonenumber mobile telefon handy mobil tel billingphone telefoon telefoonnummer mobiel téléphone portable teléfono móvil
    telefono cellulare`,
  Add: `address address1 street strasse straße adresse anschrift adres straat rue dirección direccion indirizzo`,
  DOB: `dateofbirth birthday birthdate geburtsdatum geburtstag geboren gebdatum geboortedatum datedenaissance fechadenacimiento datadinascita`,
  Gender: `sex geschlecht anrede geslacht sexe genre sexo género sesso genere`,
  Refercode: `referralcode refcode refer couponcode empfehlungscode`,
  RefBy: `referredby referrer geworbenvon`,
  State: `province region county bundesland billingstate provincie région provincia regione`,
  District: `city town ort stadt wohnort kreis woonplaats plaats stad ville ciudad città comune`,
  Pincode: `zip zipcode postcode postalcode plz postleitzahl billingpostcode codepostal códigopostal codigopostal cap`,
  Country: `land countrycode staat billingcountry pays país pais paese`,
  product_sku_id: `sku variantsku itemsku productid articlenumber artikelnummer artikelnr artnr artikel ean artikelcode référence reference referencia
    codicearticolo`,
  amount: `price regularprice variantprice unitprice preis bruttopreis verkaufspreis vk vkbrutto prijs verkoopprijs prix precio pvp prezzo`,
  order_id: `ordernumber orderno order bestellnummer bestellnr belegnummer belegnr bonnummer bonnr rechnungsnummer rechnungsnr ordernummer
    factuurnummer nºticket nticket ticket numérocommande numérodecommande pedido numerodepedido numeroordine id`,
  user_id: `customerid userid customernumber kundennummer kundennr kdnr memberid customeremail klantnummer klantnr numéroclient numeroclient
    númerocliente numerocliente códigocliente codigocliente codcliente codicecliente email`,
  name: `customername fullname billingname kunde kundenname klantnaam klant`,
  email: `emailaddress mail customeremail billingemail`,
  products: `lineitems items lines positionen`,
  qty: `quantity itemquantity menge anzahl stueck stück aantal quantité cantidad quantità`,
  total_amount: `total ordertotal amount subtotal grandtotal summe gesamt gesamtbetrag bonsumme rechnungsbetrag betrag totaal totaalbedrag bedrag montant
    totalttc importe importo totale`,
  discount: `discountamount discounttotal rabatt nachlass korting remise descuento dto sconto`,
  refferral_code: `referralcode refercode empfehlungscode`,
  ordered_at: `orderdate createdat date datum bestelldatum orderdatum bondatum verkoopdatum datecommande datedecommande fecha data`,
  points: `balance pointsbalance punkte punktestand punten saldo solde puntos punti`,
}

/** No field is a share: "Discount %" is no discount. */
const SHARE = /%|per ?cent|prozent|procent/i

/** Whether the name of a column says that it has percentages. */
export function isShare(column: string): boolean {
  return SHARE.test(column)
}

/**
 * The name among `names` that most likely means `wanted`: spelled differently, usual for it, or at most a third of its letters away. Of equally
 * near ones it is the first.
 */
export function findNearestName(wanted: string, names: readonly string[]): string | undefined {
  const plain = new Map<string, string>()
  for (const name of names) if (!SHARE.test(name)) plain.getOrInsert(plainName(name), name)
  for (const usual of [plainName(wanted), ...(USUAL_NAMES[wanted]?.match(/\S+/g) ?? [])]) {
    const found = plain.get(usual)
    if (found !== undefined) return found
  }
  const spelled = plainName(wanted)
  const near = [...plain]
    .map(([spelling, name]) => ({ name, distance: editDistance(spelled, spelling) }))
    .filter(({ distance }) => distance <= Math.floor(spelled.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return near[0]?.name
}

/** The option that maps a column, or several joined by a `-`, to a field, as it is typed into a shell. */
export function mapOption(field: string, ...columns: readonly string[]): string {
  const typed = columns.map((column) => (/^[\p{L}\p{N}_.-]+$/u.test(column) ? column : `"${inQuotes(column)}"`))
  return `--map ${field}=${typed.join('+"-"+')}`
}

/** The option that adds up a column over the rows of an order, or takes its first value, as it is typed into a shell. */
export function rowsOption(field: string, rows: 'sum' | 'first', column: string): string {
  return `--map "${field}=${rows}(${inQuotes(column)})"`
}

function inQuotes(column: string): string {
  return column.replace(/["\\$`]/g, '\\$&')
}

/** Keys, and what is different for each record: one value for all would make no sense. */
const OWN_FIELDS = ['User_id', 'user_id', 'order_id', 'product_sku_id', 'total_amount', 'amount', 'points', 'id']

/** The option that gives all records the same value of a field, as it is typed into a shell. */
function defaultOption(field: string, columns: readonly string[]): string {
  if (field === 'refferral_code') return `--default ${field}=`
  // Tables hardly ever have a list in a cell: each line is a row of its own.
  if (field === 'products') {
    const lines = ['product_sku_id', 'qty'].map((name) => {
      const column = findNearestName(name, columns)
      return column === undefined ? `--map products.${name}=...` : mapOption(`products.${name}`, column)
    })
    return `${lines.join(' ')} where each line has a row, --default products=[] where a row is an order`
  }
  return `--default ${field}=...`
}

/** Sentences about fields without a column: the nearest column for each, and what to write. `otherWay` says what else can be done about those without one. */
export function missingColumnsText(
  missing: readonly string[],
  columns: readonly string[],
  otherWay: (fields: readonly string[]) => string = () => '',
): string {
  const guesses = missing.flatMap((field) => {
    const column = findNearestName(field, columns)
    return column === undefined ? [] : [{ field, column }]
  })
  const left = missing.filter((field) => !guesses.some((guess) => guess.field === field))
  const own = left.filter((field) => OWN_FIELDS.includes(field))
  // Products last: their options make a sentence of their own.
  const rest = [
    ...left.filter((field) => !own.includes(field) && field !== 'products'),
    ...left.filter((field) => field === 'products'),
  ]
  const asked = guesses.map(({ field, column }) => `${shown(column)} for ${field}`).join(', ')
  const typed = guesses.map(({ field, column }) => mapOption(field, column)).join(' ')
  return [
    `the first line has no column ${missing.join(', ')}`,
    ...(guesses.length === 0 ? [] : [`did you mean ${asked}? Write ${typed}`]),
    ...(own.length === 0 ? [] : [`which column holds it: ${own.map((field) => `--map ${field}=...`).join(' ')}`]),
    ...(rest.length === 0
      ? []
      : [
          `one value for all records: ${rest.map((field) => defaultOption(field, columns)).join(' ')}${otherWay(rest)}`,
        ]),
  ].join('; ')
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
}

/** How many letters have to be changed, added or left out. Names longer than 100 letters are far from any other. */
function editDistance(one: string, other: string): number {
  if (other.length > 100) return other.length
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index += 1) {
      const changed = row[index - 1]! + (other[index - 1] === letter ? 0 : 1)
      next.push(Math.min(changed, row[index]! + 1, next[index - 1]! + 1))
    }
    row = next
  }
  return row.at(-1)!
}
