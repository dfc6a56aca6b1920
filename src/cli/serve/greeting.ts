/** What the first start of an empty database prints: the address, where the token is, and two commands to paste. */
export function greeting({ url, tokenFile }: { url: string; tokenFile: string }): string {
  const header = `-H 'Content-Type: application/json' -H "token: $(cat ${quoted(tokenFile)})"`
  return `
Laurel is ready at ${url}
The first token, with every scope, is in ${tokenFile}

Try it:

# 1. a player
curl -X POST ${url}/api/integration/players ${header} -d '${PLAYERS}'

# 2. what would an order of this player earn?
curl -X GET ${url}/api/predictions/orders ${header} -d '{"data":${ORDER}}'

`
}

const PLAYERS =
  '{"data":[{"User_id":"u-1","Name":"Asha Rao","Email":"asha@example.com","DOB":"31-01-1990","Gender":"female",' +
  '"Refercode":"ASHA","State":"Kerala","Pincode":"682001","Country":"India"}]}'

const ORDER =
  '{"order_id":"o-1","user_id":"u-1","name":"Asha Rao","email":"asha@example.com","refferral_code":"",' +
  '"total_amount":"5400","discount":"0","products":[{"product_sku_id":"TEA-1","qty":"120"}]}'

/** A path as a shell reads it inside `$(cat ...)`. */
function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
