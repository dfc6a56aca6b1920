import { arrow, box, picture, text } from './svg.ts'

const TITLE =
  'Where Laurel sits: between the shop and the till, which send orders and ask what they will earn, and the administrators, who write the rules'

/** Laurel between those who sell and those who set the rules. */
export function whereLaurelSits(): string {
  return picture(860, 300, TITLE, [
    box(20, 32, 134, 104, 'blue-soft', 'blue-edge'),
    text(87, 80, 'Web shop', 'name middle'),
    text(87, 102, 'checkout, account', 'small fill-quiet middle'),
    box(20, 164, 134, 104, 'blue-soft', 'blue-edge'),
    text(87, 212, 'Till', 'name middle'),
    text(87, 234, 'point of sale', 'small fill-quiet middle'),

    text(247, 62, 'players, products', 'small middle'),
    arrow(164, 332, 72, 'blue'),
    text(247, 118, 'what will this order earn?', 'small middle'),
    arrow(164, 332, 128, 'blue'),
    text(247, 158, '269 points, up to Gold', 'small name middle'),
    arrow(332, 164, 168, 'green'),
    text(247, 214, 'orders, as they change', 'small middle'),
    arrow(164, 332, 224, 'blue'),

    box(342, 32, 200, 236, 'green-soft', 'green-edge'),
    text(442, 66, 'Laurel', 'head middle'),
    text(442, 95, 'predicts and records', 'middle'),
    text(442, 114, 'with the same function', 'small fill-quiet middle'),
    box(362, 134, 160, 54, 'paper', 'green-edge'),
    text(442, 157, 'ledger', 'name middle'),
    text(442, 176, 'append-only', 'small fill-quiet middle'),
    text(442, 221, 'embedded database', 'middle'),
    text(442, 240, 'or PostgreSQL', 'small fill-quiet middle'),

    text(618, 62, 'rules, as a file', 'small middle'),
    arrow(684, 552, 72, 'blue'),
    text(618, 118, 'what if? any holes?', 'small middle'),
    arrow(684, 552, 128, 'blue'),
    text(618, 158, 'costs, findings', 'small name middle'),
    arrow(552, 684, 168, 'green'),
    text(618, 214, 'logs, metrics', 'small middle'),
    arrow(552, 684, 224, 'green'),

    box(694, 32, 146, 154, 'blue-soft', 'blue-edge'),
    text(767, 105, 'Administrators', 'name middle'),
    text(767, 127, 'command line', 'small fill-quiet middle'),
    box(694, 202, 146, 66, 'blue-soft', 'blue-edge'),
    text(767, 232, 'Monitoring', 'name middle'),
    text(767, 252, 'Prometheus', 'small fill-quiet middle'),
  ])
}
