import { nearestName, plainName } from '../../text.ts'

/**
 * What files usually call the fields of the wire, in English, German, Dutch, French, Spanish and Italian: in lower case without blanks and
 * punctuation, the likeliest first.
 */
const USUAL_NAMES: Readonly<Record<string, string>> = {
  User_id: `customerid userid customernumber customerno kundennummer kundennr kdnr memberid klantnummer klantnr numéroclient numeroclient
    númerocliente numerocliente códigocliente codigocliente codcliente codicecliente id email`,
  Name: `fullname customername displayname kunde kundenname nachname lastname naam klantnaam volledigenaam klant nom nomcomplet nombre
    nombrecompleto nome nomecompleto billingname`,
  Email: `emailaddress mail useremail billingemail emailadres courriel correo correoelectrónico`,
  Phone: `telephone phonenumber mobile telefon handy mobil tel billingphone telefoon telefoonnummer mobiel téléphone portable teléfono móvil
    telefono cellulare`,
  Add: `address address1 street strasse straße adresse anschrift adres straat rue dirección direccion indirizzo billingstreet billingaddress1`,
  DOB: `dateofbirth birthday birthdate geburtsdatum geburtstag geboren gebdatum geboortedatum datedenaissance fechadenacimiento datadinascita`,
  Gender: `sex geschlecht anrede geslacht sexe genre sexo género sesso genere`,
  Refercode: `referralcode refcode refer couponcode empfehlungscode`,
  RefBy: `referredby referrer geworbenvon`,
  State: `province region county bundesland billingstate provincie région provincia regione billingprovince`,
  District: `city town ort stadt wohnort kreis woonplaats plaats stad ville ciudad città comune billingcity`,
  Pincode: `zip zipcode postcode postalcode plz postleitzahl billingpostcode codepostal códigopostal codigopostal cap billingzip`,
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

/** The first and the last name, as files usually call them. */
const NAME_PARTS = [
  ['firstname', 'lastname'],
  ['firstname', 'surname'],
  ['givenname', 'familyname'],
  ['vorname', 'nachname'],
  ['voornaam', 'achternaam'],
  ['prénom', 'nom'],
  ['prenom', 'nom'],
  ['nombre', 'apellidos'],
  ['nombre', 'apellido'],
  ['nome', 'cognome'],
]

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
  for (const name of names) if (!SHARE.test(name) && !plain.has(plainName(name))) plain.set(plainName(name), name)
  for (const usual of [plainName(wanted), ...(USUAL_NAMES[wanted]?.match(/\S+/g) ?? [])]) {
    const match = plain.get(usual)
    if (match !== undefined) return match
  }
  return nearestName(wanted, [...plain.values()])
}

/** The option that maps a column, or several joined by a `-`, to a field, as it is typed into a shell. */
export function mapOption(field: string, ...columns: readonly string[]): string {
  return joinOption(field, columns, '-')
}

/** The option that maps to a field what most likely means it, as it is typed into a shell; undefined if nothing does. */
export function nearestOption(field: string, columns: readonly string[]): string | undefined {
  const nearest = findNearestName(field, columns)
  const isName = field === 'Name' || field === 'name'
  const parts = isName ? NAME_PARTS.map((names) => findAll(names, columns)) : []
  // A column with the full name is better than both parts.
  const both = parts.find((matches) => matches.length === 2 && (nearest === undefined || matches.includes(nearest)))
  if (both !== undefined) return joinOption(field, both, ' ')
  return nearest === undefined ? undefined : mapOption(field, nearest)
}

function findAll(wanted: readonly string[], columns: readonly string[]): readonly string[] {
  return wanted.flatMap((name) => columns.find((column) => plainName(column) === name) ?? [])
}

function joinOption(field: string, columns: readonly string[], separator: string): string {
  const typed = columns.map((column) => (/^[\p{L}\p{N}_.-]+$/u.test(column) ? column : `"${inQuotes(column)}"`))
  return `--map ${field}=${typed.join(`+"${separator}"+`)}`
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
function defaultOption(field: string): string {
  return `--default ${field}=${field === 'refferral_code' ? '' : '...'}`
}

/** Fields without a column, and a line for each way to fill them. `otherWay` says what else can be done about those that may have one value for all records. */
export function missingColumnsText(
  missing: readonly string[],
  columns: readonly string[],
  otherWay?: (fields: readonly string[]) => string | undefined,
): string {
  return [`the first line has no column ${missing.join(', ')}`, ...remedies(missing, columns, otherWay)].join('\n  ')
}

/** How fields without a column can be filled, a line for each way; `otherWay` as in `missingColumnsText`. */
export function remedies(
  missing: readonly string[],
  columns: readonly string[],
  otherWay: (fields: readonly string[]) => string | undefined = () => undefined,
): readonly string[] {
  const near = missing.flatMap((field) => nearestOption(field, columns) ?? [])
  const left = missing.filter((field) => nearestOption(field, columns) === undefined)
  const perRecord = left.filter((field) => OWN_FIELDS.includes(field)).map((field) => `--map ${field}=...`)
  const rest = left.filter((field) => !OWN_FIELDS.includes(field) && field !== 'products')
  // Tables hardly ever have a list in a cell: each line is a row of its own.
  const lines = left.includes('products')
    ? ['product_sku_id', 'qty'].map((name) => {
        const column = findNearestName(name, columns)
        return column === undefined ? `--map products.${name}=...` : mapOption(`products.${name}`, column)
      })
    : []
  const ways: readonly (readonly [way: string, options: readonly string[]])[] = [
    ['perhaps', near],
    ['from the column that has it', perRecord],
    ['where each line of an order has a row', lines],
    ['where each row is an order', lines.length === 0 ? [] : ['--default products=[]']],
    ['one value for all records', rest.map(defaultOption)],
  ]
  const other = rest.length === 0 ? undefined : otherWay(rest)
  return [
    ...ways.filter(([, options]) => options.length > 0).map(([way, options]) => `${way}: ${options.join(' ')}`),
    ...(other === undefined ? [] : [other]),
  ]
}
