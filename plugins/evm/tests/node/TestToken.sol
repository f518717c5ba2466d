// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.26;

/// A token as USDT on Ethereum: 6 decimals, and `transfer` returns nothing.
contract TestToken {
    uint256 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    bool public paused;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(uint256 supply) {
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function pause(bool value) external {
        paused = value;
    }

    function transfer(address to, uint256 value) external {
        require(!paused, "paused");
        move(to, value);
    }

    /// Several transfers in one transaction.
    function transferMany(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) move(to[i], value);
    }

    function move(address to, uint256 value) private {
        require(balanceOf[msg.sender] >= value, "balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
    }
}
