// The tests deploy compiled bytecode, so there is nothing to compile. Accounts are those of Hardhat's published phrase.
module.exports = { networks: { hardhat: { chainId: 31337, hardfork: "prague" } } };
